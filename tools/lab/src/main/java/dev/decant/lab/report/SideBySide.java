package dev.decant.lab.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Several results in one: measurements of the same thing are in one table, with a column for each file and client. */
public final class SideBySide {
  private static final Set<String> NO_METRICS = Set.of("record_size_bytes", "delivered", "expected", "connections",
      "parallelism", "poller_mode", "carrier_nice");

  /** The columns of each table, by the name of what was measured. */
  private final Map<String, ArrayNode> groups = new LinkedHashMap<>();

  private SideBySide() {}

  /**
   * Combines results.
   *
   * @param results results of any commands
   * @return content of the page
   */
  public static ObjectNode of(List<SavedResult> results) {
    return new SideBySide().join(results);
  }

  private ObjectNode join(List<SavedResult> results) {
    ObjectNode root = ResultJson.JSON.createObjectNode();
    ArrayNode files = root.putArray("files");
    for (int i = 0; i < results.size(); i++) {
      SavedResult result = results.get(i);
      ObjectNode file = files.addObject();
      file.put("number", i + 1);
      file.put("name", result.name());
      for (String key : List.of("finished", "command", "cluster", "settings", "environment")) {
        file.set(key, result.root().path(key).deepCopy());
      }
      add(i + 1, result);
    }
    ArrayNode all = root.putArray("groups");
    groups.forEach((name, columns) -> {
      ObjectNode group = all.addObject();
      group.put("name", name);
      Set<String> metrics = new LinkedHashSet<>();
      columns.forEach(column -> column.get("values").fieldNames().forEachRemaining(metrics::add));
      metrics.forEach(group.putArray("metrics")::add);
      group.set("columns", columns);
    });
    return root;
  }

  private void add(int file, SavedResult result) {
    switch (result.kind()) {
      case SCENARIOS -> result.root().get("scenarios").forEach(scenario -> scenario.path("clients")
          .forEach(client -> column(scenario.path("name").asText(), file, client.path("client").asText(),
              client.path("metrics"))));
      case STRESS -> result.root().get("rows").forEach(row -> column(
          row.path("scenario").asText() + ", " + row.path("record_size_bytes").asText() + " bytes", file,
          row.path("client").asText(), row));
      case CARRIERS -> result.root().get("rows").forEach(row -> column(
          row.path("load").asText() + ", " + row.path("connections").asText() + " connections", file,
          row.path("server").asText() + ", " + row.path("threads").asText(), row));
      case FIX -> result.root().get("rows").forEach(row -> column(row.path("group").asText(), file,
          row.path("client").asText(row.path("engine").asText()), row.path("figures")));
    }
  }

  private void column(String group, int file, String client, JsonNode figures) {
    ObjectNode column = groups.computeIfAbsent(group, name -> ResultJson.JSON.createArrayNode()).addObject();
    column.put("file", file);
    column.put("client", client);
    collect("", figures, column.putObject("values"));
  }

  /** Collects the numbers; those of a nested object have its name in front of theirs. */
  private static void collect(String prefix, JsonNode figures, ObjectNode values) {
    figures.properties().forEach(field -> {
      if (field.getValue().isNumber() && !NO_METRICS.contains(field.getKey())) {
        values.set(prefix + field.getKey(), field.getValue());
      } else if (field.getValue().isObject()) {
        collect(field.getKey() + " ", field.getValue(), values);
      }
    });
  }
}
