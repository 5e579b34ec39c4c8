#!/usr/bin/env bash
# Puts kustomize, kubeconform and the Kubernetes API's description into a cache, once for each version.
# Needs Go. Prints two lines: the folder of the programs and the file of the description.
set -euo pipefail

KUSTOMIZE=v5.7.1
KUBECONFORM=v0.7.0
KUBERNETES=v1.34.2

cache="${XDG_CACHE_HOME:-$HOME/.cache}/candor/bin/kustomize-$KUSTOMIZE-kubeconform-$KUBECONFORM"
mkdir -p "$cache"
# A mere `go install` would compile again whatever the build cache has lost.
[ -x "$cache/kustomize" ] || GOBIN="$cache" go install "sigs.k8s.io/kustomize/kustomize/v5@$KUSTOMIZE" >&2
[ -x "$cache/kubeconform" ] || GOBIN="$cache" go install "github.com/yannh/kubeconform/cmd/kubeconform@$KUBECONFORM" >&2

cd "$cache" # outside of any module
module="$(GOFLAGS=-mod=mod go mod download -json "k8s.io/kubernetes@$KUBERNETES" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')"
echo "$cache"
echo "$module/api/openapi-spec/swagger.json"
