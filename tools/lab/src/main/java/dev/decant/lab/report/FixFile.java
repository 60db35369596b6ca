package dev.decant.lab.report;

import static dev.decant.lab.report.ResultJson.JSON;
import static dev.decant.lab.report.ResultJson.round;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.fix.EpsilonProof;
import dev.decant.lab.fix.FixFigure;
import dev.decant.lab.fix.FixJvm;
import dev.decant.lab.fix.FixMeasured;
import dev.decant.lab.fix.FixMode;
import dev.decant.lab.fix.FixPlan;
import dev.decant.lab.fix.FixResult;
import dev.decant.lab.fix.FixRow;
import dev.decant.lab.fix.FixSetup;
import dev.decant.lab.fix.FixVerdict;
import dev.decant.lab.jvm.JavaRuntime;
import dev.decant.lab.scenario.Bar;
import java.util.List;
import java.util.Objects;

/** The result of {@code decant fix} as JSON: names in snake case with their unit, one row for each setup. */
public final class FixFile {
  private FixFile() {}

  /**
   * Converts a result.
   *
   * @param result result of a run
   * @param plan plan of the run
   * @param command command line of the run
   * @return content of the result file
   */
  public static ObjectNode of(FixResult result, FixPlan plan, List<String> command) {
    ObjectNode root = ResultJson.begin(command);
    root.put("fix_version", "FIX.4.2");
    ObjectNode flags = root.putObject("engine_jvm_flags");
    for (FixMode mode : FixMode.values()) {
      flags.set(mode.label(), JSON.valueToTree(FixJvm.flags(mode, plan.jvmArguments())));
    }
    root.set("settings", settings(plan));
    ArrayNode rows = root.putArray("rows");
    result.rows().forEach(row -> rows.add(row(row)));
    ArrayNode samples = root.putArray("samples");
    result.rows().forEach(row -> row.samples().forEach(sample -> samples.add(sample(row.setup(), sample))));
    ArrayNode bars = root.putArray("bars");
    result.bars().forEach(bar -> bars.add(bar(bar)));
    root.set("failures", JSON.valueToTree(result.failures()));
    root.set("left_out", JSON.valueToTree(result.leftOut()));
    return root;
  }

  /**
   * Converts the results of the round trips without a collector.
   *
   * @param endings one result for each engine
   * @param command command line of the run
   * @return content of the result file
   */
  public static ObjectNode ofEpsilon(List<EpsilonProof.Ending> endings, List<String> command) {
    ObjectNode root = ResultJson.begin(command);
    root.put("fix_version", "FIX.4.2");
    root.putObject("engine_jvm_flags").set("epsilon", JSON.valueToTree(EpsilonProof.FLAGS));
    for (String empty : List.of("rows", "samples", "bars", "left_out")) {
      root.putArray(empty);
    }
    ArrayNode failures = root.putArray("failures");
    ArrayNode all = root.putArray("epsilon");
    for (EpsilonProof.Ending ending : endings) {
      ObjectNode node = all.addObject();
      node.put("engine", ending.engine().label());
      node.put("round_trips", ending.messages());
      node.put("allocated_bytes", ending.allocatedBytes());
      node.put("ended_well", ending.failure().isEmpty());
      if (!ending.failure().isEmpty()) {
        failures.add(ending.toString());
      }
    }
    return root;
  }

  private static ObjectNode settings(FixPlan plan) {
    ObjectNode node = JSON.createObjectNode();
    node.put("messages", plan.size().messages());
    node.put("most_ms", plan.size().millis());
    node.put("paced_ms", plan.size().pacedMillis());
    node.put("idle_ms", plan.size().idleMillis());
    node.put("rate_per_s", plan.size().ratePerSecond());
    node.put("rounds", plan.rounds());
    node.put("quick", plan.quick());
    return node;
  }

  private static ObjectNode setup(FixSetup setup) {
    ObjectNode node = JSON.createObjectNode();
    node.put("work", setup.work().label());
    node.put("mode", setup.mode().label());
    node.put("group", setup.group());
    node.put("engine", setup.engine().label());
    node.put("client", setup.name()); // the field in which the drawings of all commands expect the name
    JavaRuntime java = Objects.requireNonNullElseGet(setup.java(), JavaRuntime::own);
    node.put("java", java.launcher().toString());
    node.put("java_version", java.version());
    node.put("java_vm", java.machine());
    return node;
  }

  private static ObjectNode row(FixRow row) {
    ObjectNode node = setup(row.setup());
    node.put("sample_set", "median of " + row.samples().size());
    node.put("latency_of", row.setup().work().latencyOf());
    ObjectNode figures = node.putObject("figures");
    for (FixFigure figure : FixTable.figures(row)) {
      double value = row.median(figure);
      if (Double.isFinite(value)) {
        figures.put(figure.key(), round(value));
      }
    }
    ObjectNode threads = node.putObject("allocated_bytes_by_thread");
    row.bytesByThread().forEach((thread, bytes) -> threads.put(thread, round(bytes)));
    ObjectNode collectors = node.putObject("collections_by_collector");
    row.collectionsByCollector().forEach((collector, count) -> collectors.put(collector, round(count)));
    return node;
  }

  private static ObjectNode sample(FixSetup setup, FixMeasured sample) {
    ObjectNode node = setup(setup);
    node.put("messages", sample.measured().records());
    node.put("seconds", round(sample.measured().seconds()));
    node.put("order_bytes", sample.wireBytes());
    node.put("administrative_messages", sample.administrativeMessages());
    node.put("allocated_bytes", sample.measured().allocatedBytes());
    node.set("allocated_bytes_by_thread", JSON.valueToTree(sample.bytesByThread()));
    node.put("collections", sample.measured().collections());
    node.put("pause_ms", sample.measured().pauseMillis());
    node.set("collections_by_collector", JSON.valueToTree(sample.collectionsByCollector()));
    node.set("jvm", JSON.valueToTree(sample.measured().figures()));
    node.put("cpu_s", round(sample.measured().cpuSeconds()));
    node.put("jit_cpu_s", round(sample.measured().jitCpuSeconds()));
    node.put("voluntary_context_switches", sample.measured().switches());
    ResultJson.curves(node, sample.measured());
    return node;
  }

  private static ObjectNode bar(FixVerdict verdict) {
    Bar.Judged judged = verdict.judged();
    Bar<?> bar = judged.bar();
    ObjectNode node = JSON.createObjectNode();
    node.put("work", verdict.work().label());
    node.put("mode", verdict.mode().label());
    node.put("bar", bar.text());
    node.put("informational", bar.informational());
    node.put("limit", bar.limit());
    node.put("at_least", bar.atLeast());
    node.put("control", bar.control());
    node.put("verdict", judged.verdict().label());
    if (Double.isFinite(judged.value())) {
      node.put("value", judged.value());
    }
    if (Double.isFinite(judged.controlDrift())) {
      node.put("control_drift", round(judged.controlDrift()));
    }
    return node;
  }
}
