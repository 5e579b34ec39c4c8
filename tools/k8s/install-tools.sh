#!/usr/bin/env bash
# Puts kustomize, kubeconform and the descriptions of the Kubernetes API and of two extensions into a cache, once for each
# version. Needs Go. Prints a line each: the folder of the programs, the API's description, the folders with the
# definitions of KEDA's and cert-manager's resources.
set -euo pipefail

KUSTOMIZE=v5.7.1
KUBECONFORM=v0.7.0
KUBERNETES=v1.34.2
KEDA=v2.17.2
CERT_MANAGER=v1.18.2

cache="${XDG_CACHE_HOME:-$HOME/.cache}/candor/bin/kustomize-$KUSTOMIZE-kubeconform-$KUBECONFORM"
mkdir -p "$cache"
# A mere `go install` would compile again whatever the build cache has lost.
[ -x "$cache/kustomize" ] || GOBIN="$cache" go install "sigs.k8s.io/kustomize/kustomize/v5@$KUSTOMIZE" >&2
[ -x "$cache/kubeconform" ] || GOBIN="$cache" go install "github.com/yannh/kubeconform/cmd/kubeconform@$KUBECONFORM" >&2

cd "$cache" # outside of any module
folder_of() {
  GOFLAGS=-mod=mod go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p'
}
echo "$cache"
echo "$(folder_of "k8s.io/kubernetes@$KUBERNETES")/api/openapi-spec/swagger.json"
echo "$(folder_of "github.com/kedacore/keda/v2@$KEDA")/config/crd/bases"
echo "$(folder_of "github.com/cert-manager/cert-manager@$CERT_MANAGER")/deploy/crds"
