package dev.decant.lab.report;

import static dev.decant.lab.report.ResultJson.JSON;
import static dev.decant.lab.report.ResultJson.round;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.driver.Measured;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.scenario.Bar;
import dev.decant.lab.scenario.Outcome;
import dev.decant.lab.scenario.Verdict;
import dev.decant.lab.stress.ClientJvm;
import dev.decant.lab.stress.Ratio;
import dev.decant.lab.stress.Row;
import dev.decant.lab.stress.Sample;
import dev.decant.lab.stress.StressPlan;
import dev.decant.lab.stress.StressResult;
import java.util.List;

/** The result of a run as JSON: names in snake case with their unit, one row for each scenario, size and client. */
public final class ResultFile {
  private ResultFile() {}

  /**
   * Converts a result.
   *
   * @param result result of a run
   * @param cluster cluster of the run
   * @param command command line of the run
   * @param judged outcomes of the run whose bars are written
   * @return content of the result file
   */
  public static ObjectNode of(StressResult result, String cluster, List<String> command,
      List<Outcome> judged) {
    ObjectNode root = ResultJson.begin(command);
    root.put("cluster", cluster);
    root.set("client_jvm_flags", JSON.valueToTree(ClientJvm.flags(result.plan().jvmArguments())));
    root.set("settings", settings(result.plan()));
    ArrayNode rows = root.putArray("rows");
    result.rows().forEach(row -> rows.add(row(row)));
    ArrayNode ratios = root.putArray("ratios");
    result.ratios().forEach(ratio -> ratios.add(ratio(ratio)));
    ArrayNode bars = root.putArray("bars");
    judged.forEach(outcome -> outcome.bars().forEach(bar -> bars.add(bar(outcome.scenario().name(), bar))));
    ArrayNode samples = root.putArray("samples");
    result.samples().forEach(sample -> samples.add(sample(sample)));
    return root;
  }

  private static ObjectNode settings(StressPlan plan) {
    ObjectNode node = JSON.createObjectNode();
    node.put("partitions", plan.partitions());
    node.put("acks", plan.acks());
    node.put("linger_ms", plan.lingerMillis());
    node.put("batch_size_bytes", plan.batchSizeBytes());
    node.put("fetch_max_wait_ms", WorkSpec.FETCH_MAX_WAIT_MILLIS);
    node.put("rounds", plan.rounds());
    node.put("quick", plan.quick());
    node.put("seed", plan.seed());
    return node;
  }

  private static ObjectNode row(Row row) {
    ObjectNode node = JSON.createObjectNode();
    node.put("scenario", row.scenario());
    node.put("client", row.client());
    node.put("record_size_bytes", row.recordSize());
    node.put("sample_set", "median of " + row.samples().size());
    node.put("records_per_s", round(row.median(Sample::recordsPerSecond)));
    node.put("cpu_us_per_record", round(row.median(Sample::cpuMicros)));
    node.put("jit_cpu_us_per_record", round(row.median(Sample::jitCpuMicros)));
    node.put("alloc_bytes_per_record", round(row.median(Sample::allocatedBytes)));
    node.put("gc_count", round(row.median(sample -> sample.measured().collections())));
    node.put("gc_pause_ms", round(row.median(sample -> sample.measured().pauseMillis())));
    ObjectNode latency = node.putObject("latency_us");
    latency.put("p50", round(row.latencyMicros(50)));
    latency.put("p99", round(row.latencyMicros(99)));
    latency.put("p999", round(row.latencyMicros(99.9)));
    latency.put("max", round(row.latencyMicros(100)));
    node.put("latency_of",
        row.scenario().equals("produce")
            ? "send to acknowledgement at full rate, mostly queueing"
            : "one poll with records");
    node.put("delivered", row.delivered());
    node.put("expected", row.expected());
    return node;
  }

  private static ObjectNode ratio(Ratio ratio) {
    ObjectNode node = JSON.createObjectNode();
    node.put("scenario", ratio.decant().scenario());
    node.put("record_size_bytes", ratio.decant().recordSize());
    node.put("peer", ratio.peer().client());
    node.put("records_per_s", round(ratio.recordsPerSecond()));
    node.put("cpu_us_per_record", round(ratio.cpu()));
    node.put("cpu_without_jit_us_per_record", round(ratio.cpuWithoutJit()));
    node.put("alloc_bytes_per_record", round(ratio.allocatedBytes()));
    node.put("decant_drift", round(ratio.decant().drift(Sample::recordsPerSecond)));
    node.put("peer_drift", round(ratio.peer().drift(Sample::recordsPerSecond)));
    node.put("verdict", ratio.verdict());
    return node;
  }

  private static ObjectNode bar(String scenario, Bar.Judged judged) {
    ObjectNode node = JSON.createObjectNode();
    node.put("name", scenario + ": " + judged.bar().text());
    ScenarioResultFile.put(node, "value", judged.value());
    ScenarioResultFile.put(node, "bare", judged.bare());
    node.put("limit", round(judged.bar().limit()));
    node.put("at_least", judged.bar().atLeast());
    node.put("met", judged.verdict() == Verdict.MET);
    node.put("verdict", judged.verdict().label());
    return node;
  }

  private static ObjectNode sample(Sample sample) {
    Measured measured = sample.measured();
    ObjectNode node = JSON.createObjectNode();
    node.put("scenario", sample.scenario());
    node.put("client", sample.client());
    node.put("record_size_bytes", sample.recordSize());
    node.put("seconds", round(measured.seconds()));
    node.put("records_per_s", round(sample.recordsPerSecond()));
    node.put("cpu_us_per_record", round(sample.cpuMicros()));
    node.put("jit_cpu_us_per_record", round(sample.jitCpuMicros()));
    node.put("alloc_bytes_per_record", round(sample.allocatedBytes()));
    node.put("gc_count", measured.collections());
    node.put("gc_pause_ms", measured.pauseMillis());
    node.put("delivered", sample.delivered());
    node.put("expected", sample.expected());
    ResultJson.curves(node, measured);
    return node;
  }
}
