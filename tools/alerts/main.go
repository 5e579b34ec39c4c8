// Command check-alerts evaluates alert rules on made-up series, with Prometheus' own parser, engine and alerting rules.
//
//	check-alerts rules.yml rules.test.yml
//
// prints a line a test, and ends with 1 when one failed. With a list of expressions, as JSON, on standard input
//
//	check-alerts metrics
//
// prints the names of the metrics that each asks for, as a list of lists. promtool tests rules too, and takes four times as
// long to build.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/storage"
	"go.yaml.in/yaml/v3"
)

type test struct {
	Name        string         `yaml:"name"`
	Interval    model.Duration `yaml:"interval"`
	InputSeries []struct {
		Series string `yaml:"series"`
		Values string `yaml:"values"`
	} `yaml:"input_series"`
	EvalTime  model.Duration      `yaml:"eval_time"`
	AlertName string              `yaml:"alertname"`
	Fires     []map[string]string `yaml:"fires"`
}

func main() {
	switch {
	case len(os.Args) == 2 && os.Args[1] == "metrics":
		printMetrics()
	case len(os.Args) == 3:
		runTests(os.Args[1], os.Args[2])
	default:
		fail(errors.New("usage: check-alerts rules.yml rules.test.yml | check-alerts metrics"))
	}
}

func printMetrics() {
	var expressions []string
	if err := json.NewDecoder(os.Stdin).Decode(&expressions); err != nil {
		fail(err)
	}
	all := make([][]string, len(expressions))
	for i, text := range expressions {
		expr, err := parser.ParseExpr(text)
		if err != nil {
			fail(fmt.Errorf("%s: %w", text, err))
		}
		parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
			if selector, ok := node.(*parser.VectorSelector); ok {
				all[i] = append(all[i], selector.Name)
			}
			return nil
		})
	}
	if err := json.NewEncoder(os.Stdout).Encode(all); err != nil {
		fail(err)
	}
}

func runTests(rulesFile, testFile string) {
	groups, errs := rulefmt.ParseFile(rulesFile, false, model.UTF8Validation)
	if len(errs) > 0 {
		fail(errors.Join(errs...))
	}
	text, err := os.ReadFile(testFile)
	if err != nil {
		fail(err)
	}
	var file struct {
		Tests []test `yaml:"tests"`
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		fail(err)
	}
	failed := 0
	for _, t := range file.Tests {
		got, err := t.run(groups)
		if err == nil && got != t.expected() {
			err = fmt.Errorf("fires %q, expected %q", got, t.expected())
		}
		if err != nil {
			failed++
			fmt.Printf("FAILED %s | %s: %v\n", t.AlertName, t.Name, err)
			continue
		}
		fmt.Printf("ok %s | %s\n", t.AlertName, t.Name)
	}
	if failed > 0 {
		os.Exit(1)
	}
}

func (t test) expected() string {
	var all []string
	for _, fire := range t.Fires {
		all = append(all, labels.FromMap(fire).String())
	}
	return strings.Join(all, " ")
}

// run evaluates the alert and all recording rules at every step until EvalTime, as Prometheus does, and returns what the
// alert then fires with.
func (t test) run(groups *rulefmt.RuleGroups) (string, error) {
	store := promqltest.LoadedStorage(quiet{}, t.load())
	defer store.Close()
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: time.Minute, LookbackDelta: 5 * time.Minute})
	query := rules.EngineQueryFunc(engine, store)
	all, err := build(groups, t.AlertName)
	if err != nil {
		return "", err
	}
	start := time.Unix(0, 0).UTC()
	for at := start; !at.After(start.Add(time.Duration(t.EvalTime))); at = at.Add(time.Duration(t.Interval)) {
		for _, rule := range all {
			vector, err := rule.Eval(context.Background(), 0, at, query, &url.URL{}, 0)
			if err != nil {
				return "", err
			}
			if _, isRecording := rule.(*rules.RecordingRule); isRecording {
				if err := appendAll(store, vector); err != nil {
					return "", err
				}
			}
		}
	}
	return firing(all, t.AlertName)
}

func (t test) load() string {
	lines := []string{"load " + t.Interval.String()}
	for _, series := range t.InputSeries {
		lines = append(lines, "  "+series.Series+" "+series.Values)
	}
	return strings.Join(lines, "\n")
}

func build(groups *rulefmt.RuleGroups, alert string) ([]rules.Rule, error) {
	var all []rules.Rule
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			if rule.Record == "" && rule.Alert != alert {
				continue
			}
			expr, err := parser.ParseExpr(rule.Expr)
			if err != nil {
				return nil, err
			}
			if rule.Record != "" {
				all = append(all, rules.NewRecordingRule(rule.Record, expr, labels.FromMap(rule.Labels)))
				continue
			}
			all = append(all, rules.NewAlertingRule(rule.Alert, expr, time.Duration(rule.For), time.Duration(rule.KeepFiringFor),
				labels.FromMap(rule.Labels), labels.FromMap(rule.Annotations), labels.EmptyLabels(), "", true, slog.New(slog.DiscardHandler)))
		}
	}
	return all, nil
}

func appendAll(store storage.Appendable, vector promql.Vector) error {
	appender := store.Appender(context.Background())
	for _, sample := range vector {
		if _, err := appender.Append(0, sample.Metric, sample.T, sample.F); err != nil {
			return err
		}
	}
	return appender.Commit()
}

func firing(all []rules.Rule, name string) (string, error) {
	for _, rule := range all {
		alerting, isAlert := rule.(*rules.AlertingRule)
		if !isAlert || rule.Name() != name {
			continue
		}
		var found []string
		for _, alert := range alerting.ActiveAlerts() {
			if alert.State != rules.StateFiring {
				continue
			}
			if strings.Contains(alert.Annotations.Get("summary"), "error expanding") {
				return "", errors.New(alert.Annotations.Get("summary"))
			}
			found = append(found, labels.NewBuilder(alert.Labels).Del(labels.AlertName).Labels().String())
		}
		return strings.Join(found, " "), nil
	}
	return "", fmt.Errorf("there is no alert %q", name)
}

// quiet is the testing.T that the test storage asks for.
type quiet struct{}

func (quiet) Fatal(args ...any)            { fail(errors.New(fmt.Sprint(args...))) }
func (quiet) Fatalf(f string, args ...any) { fail(fmt.Errorf(f, args...)) }
func (quiet) Errorf(f string, args ...any) { fail(fmt.Errorf(f, args...)) }
func (quiet) FailNow()                     { os.Exit(1) }
func (quiet) Helper()                      {}
func (quiet) Cleanup(func())               {}
func (quiet) Logf(string, ...any)          {}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
