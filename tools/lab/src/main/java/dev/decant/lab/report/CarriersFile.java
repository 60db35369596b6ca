package dev.decant.lab.report;

import static dev.decant.lab.report.ResultJson.JSON;
import static dev.decant.lab.report.ResultJson.round;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.carriers.CarriersPlan;
import dev.decant.lab.carriers.CarriersResult;
import dev.decant.lab.carriers.CarriersRow;
import dev.decant.lab.carriers.ServerJvm;
import dev.decant.lab.carriers.Setting;
import dev.decant.lab.carriers.Setup;
import dev.decant.lab.load.LoadMeasured;
import java.util.List;
import java.util.Map;

/** The result of {@code decant carriers} as JSON: names in snake case with their unit, one row for each setup. */
public final class CarriersFile {
  private CarriersFile() {}

  /**
   * Converts a result.
   *
   * @param result result of a run
   * @param command command line of the run
   * @return content of the result file
   */
  public static ObjectNode of(CarriersResult result, List<String> command) {
    ObjectNode root = ResultJson.begin(command);
    root.set("server_jvm_flags", JSON.valueToTree(ServerJvm.flags(result.plan().jvmArguments())));
    root.set("settings", settings(result.plan()));
    root.put("work_steps", result.workSteps());
    ArrayNode rows = root.putArray("rows");
    result.rows().forEach(row -> rows.add(row(row)));
    ArrayNode samples = root.putArray("samples");
    result.rows().forEach(row -> row.samples().forEach(sample -> samples.add(sample(row.setup(), sample))));
    root.set("failures", JSON.valueToTree(result.failures()));
    root.put("disturbance", result.disturbance());
    root.put("priority_finding", result.priorityFinding());
    root.put("advice", result.advice());
    return root;
  }

  private static ObjectNode settings(CarriersPlan plan) {
    ObjectNode node = JSON.createObjectNode();
    node.put("warm_up_ms", plan.warmUpMillis());
    node.put("duration_ms", plan.durationMillis());
    node.put("rounds", plan.rounds());
    node.put("quick", plan.quick());
    return node;
  }

  private static ObjectNode setup(Setup setup) {
    Setting setting = setup.setting();
    ObjectNode node = JSON.createObjectNode();
    node.put("load", setup.load().label());
    node.put("connections", setup.connections());
    node.put("server", setup.server().label());
    node.put("virtual_threads", setup.server().onVirtualThreads());
    node.put("threads", setting.label());
    node.put("parallelism", setting.parallelism());
    if (setup.server().onVirtualThreads()) {
      node.put("poller_mode", setting.pollerMode());
      node.put("read_pollers", setting.readPollers() == 0 ? "default" : Integer.toString(setting.readPollers()));
      node.put("carrier_nice", setting.nice());
    }
    return node;
  }

  private static ObjectNode row(CarriersRow row) {
    ObjectNode node = setup(row.setup());
    node.put("sample_set", "median of " + row.samples().size());
    node.put("requests_per_s", round(row.requestsPerSecond()));
    node.put("work_requests_per_s", round(row.workRequestsPerSecond()));
    ObjectNode latency = node.putObject("latency_us");
    latency.put("p50", round(row.latencyMicros(50)));
    latency.put("p99", round(row.latencyMicros(99)));
    latency.put("max", round(row.latencyMicros(100)));
    node.put("server_cpu_us_per_request", round(row.serverCpuMicros()));
    node.put("machine_idle_percent", round(row.median(LoadMeasured::idlePercent)));
    node.put("machine_stolen_percent", round(row.median(LoadMeasured::stolenPercent)));
    node.put("other_processes_percent", round(row.median(LoadMeasured::othersPercent)));
    ObjectNode switches = node.putObject("context_switches_per_request");
    row.switchesPerRequest().forEach((name, count) -> switches.put(name, round(count)));
    return node;
  }

  private static ObjectNode sample(Setup setup, LoadMeasured sample) {
    ObjectNode node = setup(setup);
    node.put("seconds", round(sample.seconds()));
    node.put("requests", sample.requests());
    node.put("work_requests", sample.workRequests());
    node.put("server_cpu_s", round(sample.serverCpuSeconds()));
    node.put("machine_idle_percent", round(sample.idlePercent()));
    node.put("machine_stolen_percent", round(sample.stolenPercent()));
    node.put("other_processes_percent", round(sample.othersPercent()));
    node.set("latency_percentiles", JSON.valueToTree(LoadMeasured.PERCENTILES));
    node.set("latency_us", JSON.valueToTree(sample.latencyMicros()));
    node.set("voluntary_context_switches", counts(sample.switches().voluntary()));
    node.set("involuntary_context_switches", counts(sample.switches().involuntary()));
    return node;
  }

  private static ObjectNode counts(Map<String, Long> byThread) {
    ObjectNode node = JSON.createObjectNode();
    byThread.forEach(node::put);
    return node;
  }
}
