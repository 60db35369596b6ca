package dev.decant.lab.carriers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.live.Silence;
import dev.decant.lab.load.LoadMeasured;
import dev.decant.lab.report.CarriersFile;
import dev.decant.lab.report.CarriersTable;
import dev.decant.lab.report.HtmlReport;
import dev.decant.lab.server.ServerKind;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests that real servers in their own JVMs respond, for moments and without regard to speed. */
@Tag("full")
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class CarriersRunTest {
  @TempDir
  private Path logs = Path.of("");

  private CarriersResult run(List<ServerKind> servers, LoadKind load, List<Integer> nice, String... jvmArguments) {
    CarriersPlan plan = new CarriersPlan(servers, List.of(load), List.of(5), List.of(1), List.of(2), List.of(), nice, 1,
        100, 100, 1, true, List.of(jvmArguments));
    CarriersResult result = new CarriersRun(plan, logs, new Silence()).execute();
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
    return result;
  }

  @Test
  void everyServerAnswersThePlainLoad() {
    CarriersResult result = run(List.of(ServerKind.values()), LoadKind.PLAIN, List.of(0));

    assertThat(result.failures()).isEmpty();
    assertThat(result.rows()).extracting(row -> row.setup().server()).containsExactly(ServerKind.values());
    assertThat(result.rows()).allSatisfy(row -> {
      assertThat(row.samples()).hasSize(2);
      assertThat(row.requestsPerSecond()).isPositive();
      assertThat(row.workRequestsPerSecond()).isZero();
      assertThat(row.latencyMicros(50)).isPositive().isLessThanOrEqualTo(row.latencyMicros(100));
    });
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void carriersAreLoweredAndEverythingIsReported() {
    CarriersResult result = run(List.of(ServerKind.MINIMAL, ServerKind.SELECTOR), LoadKind.MIXED, List.of(0, 5));

    assertThat(result.failures()).isEmpty();
    assertThat(result.rows()).extracting(row -> row.setup().setting().label()).containsExactly(
        "1 carrier, poller mode 2", "1 carrier, poller mode 2, nice 5", "1 loop");
    assertThat(result.rows()).allSatisfy(row -> {
      assertThat(row.workRequestsPerSecond()).isPositive();
      assertThat(row.switchesPerRequest()).isNotEmpty();
      assertThat(row.median(LoadMeasured::idlePercent)).isBetween(0.0, 100.0);
    });
    ObjectNode root = CarriersFile.of(result, List.of("carriers", "</script>"));
    JsonNode row = root.get("rows").get(1);
    assertThat(row.fieldNames()).toIterable().contains("requests_per_s", "work_requests_per_s", "latency_us",
        "server_cpu_us_per_request", "machine_idle_percent", "context_switches_per_request");
    assertThat(row.get("carrier_nice").asInt()).isEqualTo(5);
    assertThat(row.get("latency_us").fieldNames()).toIterable().containsExactly("p50", "p99", "max");
    assertThat(root.get("rows").get(2).has("poller_mode")).isFalse();
    assertThat(root.get("samples")).hasSize(6);
    assertThat(root.get("advice").asText()).isEqualTo(result.advice());
    assertThat(HtmlReport.ofCarriers(root)).doesNotContain("@data@", "@plots@", "src=", "</script>\"]")
        .contains("\\u003c/script>", "Chart");
    assertThat(CarriersTable.of(result)).contains(result.advice(), "nice 5", "ForkJoinPool");
  }

  @Test
  void aServerThatDoesNotStartIsOneLineAndTheRestGoesOn() {
    CarriersResult result = run(List.of(ServerKind.MINIMAL), LoadKind.PLAIN, List.of(0), "-XX:NoSuchFlag=1");

    assertThat(result.rows()).isEmpty();
    assertThat(result.failures()).singleElement().asString().hasLineCount(1).contains("minimal", "minimal.log");
    assertThat(result.advice()).contains("nothing follows");
  }
}
