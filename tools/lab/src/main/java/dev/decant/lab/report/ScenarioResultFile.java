package dev.decant.lab.report;

import static dev.decant.lab.report.ResultJson.JSON;
import static dev.decant.lab.report.ResultJson.round;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.jvm.JavaRuntime;
import dev.decant.lab.scenario.Bar;
import dev.decant.lab.scenario.Contender;
import dev.decant.lab.scenario.Metric;
import dev.decant.lab.scenario.Outcome;
import dev.decant.lab.scenario.ScenarioRun;
import dev.decant.lab.stress.ClientJvm;
import dev.decant.lab.stress.Row;
import dev.decant.lab.stress.Sample;
import java.util.List;
import java.util.Objects;

/**
 * The result of scenarios as JSON: for each scenario its clients with all metrics, its bars with verdicts, its samples.
 */
public final class ScenarioResultFile {
  private ScenarioResultFile() {}

  /**
   * The circumstances of a run.
   *
   * @param title title of the page
   * @param cluster cluster of the run
   * @param command command line of the run
   * @param options options of the run
   * @param jvmArguments flags of the user
   */
  public record Origin(String title, String cluster, List<String> command, ScenarioRun.Options options,
      List<String> jvmArguments) {}

  /**
   * Converts a result.
   *
   * @param outcomes outcomes of a run
   * @param origin circumstances of the run
   * @return content of the result file
   */
  public static ObjectNode of(List<Outcome> outcomes, Origin origin) {
    ObjectNode root = ResultJson.begin(origin.command());
    root.put("title", origin.title());
    root.put("cluster", origin.cluster());
    root.set("client_jvm_flags", JSON.valueToTree(ClientJvm.flags(origin.jvmArguments())));
    ObjectNode settings = root.putObject("settings");
    settings.put("rounds", origin.options().rounds());
    settings.put("quick", origin.options().quick());
    settings.put("seed", origin.options().seed());
    ArrayNode scenarios = root.putArray("scenarios");
    outcomes.forEach(outcome -> scenarios.add(scenario(outcome)));
    return root;
  }

  /**
   * Adds charts over several scenarios.
   *
   * @param root content of the result file
   * @param charts charts to draw above those of each scenario
   */
  public static void draw(ObjectNode root, List<Chart> charts) {
    ArrayNode drawn = root.putArray("charts");
    charts.forEach(chart -> drawn.add(chart.toJson()));
  }

  private static ObjectNode scenario(Outcome outcome) {
    ObjectNode node = JSON.createObjectNode();
    node.put("name", outcome.scenario().name());
    node.put("title", outcome.scenario().title());
    node.put("failure", outcome.failure());
    node.put("latency_of", outcome.scenario().work().latencyOf());
    ArrayNode clients = node.putArray("clients");
    outcome.scenario().contenders().forEach(contender -> clients.add(client(outcome, contender)));
    ArrayNode bars = node.putArray("bars");
    outcome.bars().forEach(bar -> bars.add(bar(bar)));
    ArrayNode samples = node.putArray("samples");
    outcome.samples().forEach(sample -> samples.add(sample(sample)));
    node.put("text", outcome.scenario().text());
    return node;
  }

  private static ObjectNode client(Outcome outcome, Contender contender) {
    Row row = outcome.row(contender.label());
    ObjectNode node = JSON.createObjectNode();
    node.put("client", contender.label());
    JavaRuntime used = Objects.requireNonNullElseGet(contender.java(), JavaRuntime::own);
    node.put("java", used.launcher().toString());
    node.put("java_version", used.version());
    node.put("java_vm", used.machine());
    node.put("sample_set", "median of " + row.samples().size());
    ObjectNode metrics = node.putObject("metrics");
    for (Metric metric : Metric.values()) {
      put(metrics, metric.key(), outcome.median(contender.label(), metric));
    }
    node.put("delivered", row.delivered());
    node.put("expected", row.expected());
    node.set("settings", JSON.valueToTree(contender.settings()));
    return node;
  }

  private static ObjectNode bar(Bar.Judged judged) {
    ObjectNode node = JSON.createObjectNode();
    node.put("bar", judged.bar().text());
    node.put("informational", judged.bar().informational());
    node.put("metric", judged.bar().metric().key());
    node.put("at_least", judged.bar().atLeast());
    node.put("limit", round(judged.bar().limit()));
    node.put("control", judged.bar().control());
    node.put("verdict", judged.verdict().label());
    put(node, "value", judged.value());
    put(node, "control_drift", judged.controlDrift());
    put(node, "bare", judged.bare());
    return node;
  }

  private static ObjectNode sample(Sample sample) {
    ObjectNode node = JSON.createObjectNode();
    node.put("client", sample.client());
    node.put("seconds", round(sample.measured().seconds()));
    node.put("delivered", sample.delivered());
    node.put("expected", sample.expected());
    ObjectNode metrics = node.putObject("metrics");
    for (Metric metric : Metric.values()) {
      put(metrics, metric.key(), metric.of(sample));
    }
    ObjectNode figures = node.putObject("figures");
    sample.measured().figures().forEach((key, value) -> put(figures, key, value));
    ResultJson.curves(node, sample.measured());
    return node;
  }

  /** Adds a figure unless it is NaN, which JSON cannot write. */
  static void put(ObjectNode node, String key, double value) {
    if (Double.isFinite(value)) {
      node.put(key, round(value));
    }
  }
}
