package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.driver.Measured;
import dev.decant.lab.live.LiveFeed;
import dev.decant.lab.live.LiveRun;
import dev.decant.lab.live.LiveServer;
import dev.decant.lab.live.Turn;
import dev.decant.lab.report.HtmlReport;
import dev.decant.lab.report.ResultFile;
import dev.decant.lab.scenario.Bar;
import dev.decant.lab.scenario.Outcome;
import dev.decant.lab.scenario.Scenario;
import dev.decant.lab.scenario.StressScenarios;
import dev.decant.lab.stress.Sample;
import dev.decant.lab.stress.StressPlan;
import dev.decant.lab.stress.StressResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the pages in a real browser; skipped without one. */
@Tag("full")
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class PagesInABrowserTest {
  private static final Pattern DRAWN = Pattern.compile("<canvas[^>]*data-drawn=\"true\"");
  private static final Pattern CANVAS = Pattern.compile("<canvas");
  private static final String LIGHT_GROUND = "data-ground=\"rgb(252, 252, 253)\"";
  private static final String DARK_GROUND = "data-ground=\"rgb(20, 24, 31)\"";
  private static final String SAMPLE = """
      {"client": "%s", "metrics": {"records_per_s": %d}, "records_per_s_each_100_ms": [%d, 100, 120],
       "latency_percentiles": [50, 99, 100], "latency_us": [10, 20, 40]}
      """;
  private static final String RESULT = """
      {"format": 1, "finished": "2026-01-02T03:04:05Z", "command": ["stress"], "cluster": "embedded",
       "environment": {"cpus": 2, "cpu_model": "x", "java_version": "25"}, "client_jvm_flags": ["-Xmx1m"],
       "interrupted": "interrupted after 2 of 4 samples",
       "charts": [{"title": "pauses", "kind": "bar", "unit": "ms", "logarithmic": false, "steps": ["a", "b"],
         "series": [{"label": "decant", "values": [1, 2]}]}],
       "scenarios": [{"name": "mine", "title": "T", "failure": "", "latency_of": "a call", "text": "title = T",
         "bars": [{"bar": "p50_us <= 1", "verdict": "not met", "control": "", "value": 2},
           {"bar": "informational p99_us <= 1", "informational": true, "verdict": "not met", "control": ""}],
         "clients": [{"client": "decant", "metrics": {"records_per_s": 7}},
           {"client": "kafka-clients", "metrics": {"records_per_s": 5}}],
         "samples": [%s, %s]}]}
      """
      .formatted(SAMPLE.formatted("decant", 7, 90), SAMPLE.formatted("kafka-clients", 5, 70));

  @TempDir
  private Path directory = Path.of("");

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aReportHasAllItsDrawings(boolean dark) throws Exception {
    Browser browser = Browser.find(directory);
    String page = HtmlReport.ofScenarios((ObjectNode) new ObjectMapper().readTree(RESULT));
    Path file = Files.writeString(directory.resolve("report.html"), Browser.marked(page));

    String dom = browser.dom(file.toUri().toString(), dark);

    assertThat(CANVAS.matcher(dom).results()).as("a chart, throughput over time, latency").hasSize(3);
    assertThat(DRAWN.matcher(dom).results()).hasSize(3);
    assertThat(dom).contains("data-cut=\"nothing\"", "<h2>Bars</h2>");
    assertThat(dom).contains(dark ? DARK_GROUND : LIGHT_GROUND, "This run was interrupted after 2 of 4 samples.",
        "<li>mine: decant has 1.4 times the records/s of kafka-clients.</li>", "records_<wbr>per_<wbr>s",
        "<td class=\"better\">1.4× better</td>",
        "<td class=\"missed\">not met</td>", "<td>informational p99_<wbr>us &lt;= 1</td><td>not met</td>");
  }

  @Test
  void reportsFitATelephone() throws Exception {
    Browser browser = Browser.find(directory);
    for (String page : List.of(HtmlReport.of(comparison()),
        HtmlReport.ofScenarios((ObjectNode) new ObjectMapper().readTree(RESULT)))) {
      Path file = Files.writeString(directory.resolve("telephone.html"), Browser.onATelephone(Browser.marked(page)));
      assertThat(browser.dom(file.toUri().toString(), false)).contains("data-window=\"390\"", "data-wider=\"no\"");
    }
  }

  @Test
  void theComparisonExplainsItselfAndIsNotCutInAWindowOf1280Pixels() throws Exception {
    Browser browser = Browser.find(directory);
    String page = HtmlReport.of(comparison());
    Path file = Files.writeString(directory.resolve("report.html"), Browser.marked(page));

    String dom = browser.dom(file.toUri().toString(), false);

    assertThat(dom).contains("data-window=\"1280\"", "data-cut=\"nothing\"", "data-broken=\"nothing\"");
    assertThat(dom).contains("<h2>Bars</h2>", "<td>below bare</td>", "<td>none against 426 B</td>",
        "<td>queueing</td>", "<td class=\"better\">", "<td>1.235 s</td>",
        "<li>produce, 100 bytes: decant has 4.06 times the records/s and 0.4911 times the CPU per record of",
        "Own drift and peer's drift: ", "JIT is the compiler's part of CPU",
        "aria-label=\"produce, 1000 bytes: latency by percentile: queueing at full rate\"")
        .doesNotContain("<td>MISSED</td>");
    assertThat(DRAWN.matcher(dom).results()).hasSameSizeAs(CANVAS.matcher(dom).results().toList());
  }

  /** Returns figures with the most digits that they can have. */
  private static ObjectNode comparison() {
    List<String> clients = List.of(StressPlan.DECANT, StressPlan.PEER, StressPlan.BARE);
    StressPlan plan = new StressPlan(List.of("produce", "consume"), clients, List.of(100, 1000), 0, 0, 6, "1", 5,
        65_536, 1, false, List.of("-XX:+UseG1GC", "-Xmx512m"), 1);
    List<Sample> samples = new ArrayList<>();
    for (String scenario : plan.scenarios()) {
      for (int size : plan.recordSizes()) {
        clients.stream().filter(client -> size == 100 || !client.equals(StressPlan.BARE)).forEach(client -> {
          boolean peer = client.equals(StressPlan.PEER);
          Measured measured = new Measured(12_345_678, 7, peer ? 5.0123 : 1.2345, peer ? 10.4321 : 5.1234, 0.1234,
              peer ? 426 * 12_345_678L : 740_000, 1234, 5678,
              Collections.nCopies(Measured.PERCENTILES.size(), 1_234_567.8), List.of(1_234_567L, 2_345_678L), 100,
              Map.of());
          samples.add(new Sample(scenario, size, client, 12_345_678, 12_345_678, measured));
          samples.add(new Sample(scenario, size, client, 12_345_678, 12_345_678, measured));
        });
      }
    }
    StressResult result = new StressResult(plan, samples);
    List<Bar<Sample>> bar = List.of(Bar.parse("cpu_us_per_record <= 0.1 of kafka-clients"));
    List<Outcome> outcomes = StressScenarios.of(plan).stream().map(each -> each.heldTo(bar))
        .map(each -> new Outcome(each, samplesOf(each, samples), "")).toList();
    return ResultFile.of(result, "embedded, 1 broker(s)", List.of("stress"), outcomes);
  }

  private static List<Sample> samplesOf(Scenario scenario, List<Sample> samples) {
    return samples.stream()
        .filter(sample -> scenario.name().equals(sample.scenario() + ", " + sample.recordSize() + " bytes"))
        .map(sample -> new Sample(scenario.name(), sample.recordSize(),
            sample.client().equals(StressPlan.PEER) ? "kafka-clients" : sample.client(), sample.delivered(),
            sample.expected(), sample.measured()))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRunIsShownAsItGoes(boolean dark) throws Exception {
    Browser browser = Browser.find(directory);
    CompletableFuture<Integer> seen = new CompletableFuture<>();
    LiveFeed feed = new LiveFeed(seen::complete);
    LiveRun run = new LiveRun(feed, InstantSource.system());
    run.begin("stress", "embedded", List.of("stress", "--live"), Map.of("cpus", 2, "cpu_model", "x", "java_version",
        "25"));
    run.plan(List.of(new Turn("mine", "decant", 1), new Turn("mine", "kafka-clients", 1),
        new Turn("mine", "kafka-clients", 2), new Turn("mine", "decant", 2)));
    run.start(0);
    run.sample(0, Map.of("records_per_s", 1111.0), List.of(1000L, 1200L, 1100L));

    try (LiveServer server = LiveServer.start(0, feed, Browser.marked(HtmlReport.ofLive()))) {
      CompletableFuture<Void> rest = seen.thenRunAsync(() -> goOn(run)).thenRun(server::close);
      String dom = browser.dom(server.address(), dark);

      rest.get(60, TimeUnit.SECONDS);
      assertThat(dom).as("what was there when the page was opened").contains("<td>1,111</td>", "<h1 id=\"title\">decant"
          + " stress</h1>", "decant stress --live · embedded");
      assertThat(dom).as("what came afterwards").contains("<td>2,222</td>", "the broker is gone</td>",
          "<li class=\"missed\">not met: mine</li><li>mine: not met informational p50_us</li>",
          "interrupted after 2 of 4 samples", "in result.json", "&lt;b&gt;a line");
      assertThat(DRAWN.matcher(dom).results()).hasSize(1);
      assertThat(dom).contains(dark ? DARK_GROUND : LIGHT_GROUND);
    }
  }

  private static void goOn(LiveRun run) {
    run.start(1);
    run.line("<b>a line");
    run.rate(2000);
    run.rate(2300);
    run.sample(1, Map.of("records_per_s", 2222.0), List.of(2000L, 2300L));
    run.start(2);
    run.failure(2, "the broker is gone");
    run.end("interrupted after 2 of 4 samples", List.of("not met: mine", "mine: not met informational p50_us"),
        "written: in result.json");
  }
}
