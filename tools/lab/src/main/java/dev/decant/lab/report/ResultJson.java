package dev.decant.lab.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.driver.Measured;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** The common parts of all result files. */
public final class ResultJson {
  static final ObjectMapper JSON = new ObjectMapper();

  private ResultJson() {}

  /**
   * Formats a result.
   *
   * @param root content of the result file
   * @return JSON with line breaks
   */
  public static String text(ObjectNode root) {
    return root.toPrettyString() + "\n";
  }

  /** Starts a result file with the time, the command and the machine. */
  static ObjectNode begin(List<String> command) {
    ObjectNode root = JSON.createObjectNode();
    root.put("format", 1);
    root.put("finished", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    root.set("command", JSON.valueToTree(command));
    root.set("environment", JSON.valueToTree(Environment.describe()));
    return root;
  }

  /** Adds a sample's rate over time and its latency by percentile. */
  static void curves(ObjectNode node, Measured measured) {
    node.set("latency_percentiles", JSON.valueToTree(Measured.PERCENTILES));
    node.set("latency_us", JSON.valueToTree(measured.latencyMicros()));
    node.set("records_per_s_each_100_ms", JSON.valueToTree(measured.recordsPerSecond()));
  }

  /** Rounds to four significant digits below 10,000, and to whole numbers above: no measurement is more precise. */
  static double round(double value) {
    if (Math.abs(value) >= 10_000) {
      return Math.rint(value);
    }
    return BigDecimal.valueOf(value).round(new MathContext(4)).doubleValue();
  }
}
