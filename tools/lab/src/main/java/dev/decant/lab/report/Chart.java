package dev.decant.lab.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * A drawing on a page: a line, or a group of bars, for each series.
 *
 * @param title title above it
 * @param kind {@code line} or {@code bar}
 * @param unit unit of the values
 * @param logarithmic true for a logarithmic axis of values
 * @param steps names along the other axis
 * @param series the series
 */
public record Chart(String title, String kind, String unit, boolean logarithmic, List<String> steps,
    List<Series> series) {

  /**
   * Values with a name.
   *
   * @param label name of the series
   * @param values one value for each step; NaN if there is none
   */
  public record Series(String label, List<Double> values) {}

  /** Returns the chart as data of the page. */
  ObjectNode toJson() {
    ObjectNode node = ResultJson.JSON.createObjectNode();
    node.put("title", title);
    node.put("kind", kind);
    node.put("unit", unit);
    node.put("logarithmic", logarithmic);
    node.set("steps", ResultJson.JSON.valueToTree(steps));
    ArrayNode lines = node.putArray("series");
    for (Series each : series) {
      ObjectNode line = lines.addObject();
      line.put("label", each.label());
      ArrayNode points = line.putArray("values");
      each.values().forEach(value -> add(points, value));
    }
    return node;
  }

  private static void add(ArrayNode points, double value) {
    if (Double.isFinite(value)) {
      points.add(ResultJson.round(value));
    } else {
      points.addNull();
    }
  }
}
