package dev.decant.lab.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * A drawing on a page: a line, or a group of bars, for each series.
 *
 * @param title above it
 * @param kind {@code line} or {@code bar}
 * @param unit of the values
 * @param logarithmic whether the values differ so much
 * @param steps names along the other axis
 * @param series what is drawn
 */
public record Chart(String title, String kind, String unit, boolean logarithmic, List<String> steps,
    List<Series> series) {

  /**
   * Values with a name.
   *
   * @param label of the series
   * @param values one for each step; not a number where there is none
   */
  public record Series(String label, List<Double> values) {}

  /** For the page. */
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
