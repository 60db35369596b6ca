package dev.decant.lab.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.driver.Measured;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** What all result files have in common. */
public final class ResultJson {
  static final ObjectMapper JSON = new ObjectMapper();

  private ResultJson() {}

  /**
   * The text of a result.
   *
   * @param root of a result file
   * @return JSON with line breaks
   */
  public static String text(ObjectNode root) {
    return root.toPrettyString() + "\n";
  }

  /** Begins a result file: when, how, where. */
  static ObjectNode begin(List<String> command) {
    ObjectNode root = JSON.createObjectNode();
    root.put("format", 1);
    root.put("finished", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    root.set("command", JSON.valueToTree(command));
    root.set("environment", JSON.valueToTree(Environment.describe()));
    return root;
  }

  /** What a sample looked like over time and by percentile. */
  static void curves(ObjectNode node, Measured measured) {
    node.set("latency_percentiles", JSON.valueToTree(Measured.PERCENTILES));
    node.set("latency_us", JSON.valueToTree(measured.latencyMicros()));
    node.set("records_per_s_each_100_ms", JSON.valueToTree(measured.recordsPerSecond()));
  }

  /** Four significant digits below 10,000, whole numbers above: more than the measurement has. */
  static double round(double value) {
    if (Math.abs(value) >= 10_000) {
      return Math.rint(value);
    }
    return BigDecimal.valueOf(value).round(new MathContext(4)).doubleValue();
  }
}
