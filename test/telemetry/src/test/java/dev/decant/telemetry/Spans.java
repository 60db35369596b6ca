package dev.decant.telemetry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The spans that OpenTelemetry's agent has written as OTLP in JSON, without what differs from run to run. */
final class Spans {
  private Spans() {}

  /**
   * One line for each span, in order of the text: scope, name, kind, status, attributes, and the name of the parent.
   *
   * @param output of the process, which has spans in lines of their own
   * @param topics names that differ from run to run, with what takes their place
   */
  static List<String> of(List<String> output, Map<String, String> topics) throws IOException {
    ObjectMapper json = new ObjectMapper();
    Map<String, JsonNode> byId = new HashMap<>();
    Map<String, String> scopes = new HashMap<>();
    for (String line : output) {
      if (line.startsWith("{\"resourceSpans\"")) {
        for (JsonNode resource : json.readTree(line).path("resourceSpans")) {
          for (JsonNode scope : resource.path("scopeSpans")) {
            for (JsonNode span : scope.path("spans")) {
              byId.put(span.path("spanId").asText(), span);
              scopes.put(span.path("spanId").asText(), scope.path("scope").path("name").asText());
            }
          }
        }
      }
    }
    List<String> lines = new ArrayList<>();
    byId.forEach((id, span) -> {
      JsonNode parent = byId.get(span.path("parentSpanId").asText());
      String line = scopes.get(id) + ": " + span.path("name").asText() + ", kind " + span.path("kind").asText()
          + ", status " + span.path("status").path("code").asText("0") + ", links " + span.path("links").size()
          + ", events " + span.path("events").size() + ", of "
          + (parent == null ? "none" : parent.path("name").asText()) + ", " + attributes(span);
      for (Map.Entry<String, String> topic : topics.entrySet()) {
        line = line.replace(topic.getKey(), topic.getValue());
      }
      lines.add(line);
    });
    return lines.stream().sorted().toList();
  }

  private static Map<String, String> attributes(JsonNode span) {
    Map<String, String> all = new TreeMap<>();
    for (JsonNode attribute : span.path("attributes")) {
      String key = attribute.path("key").asText();
      if (!key.startsWith("thread.")) {
        all.put(key, attribute.path("value").toString());
      }
    }
    return all;
  }
}
