package dev.decant.codegen;

import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads a message schema; what it does not know it refuses, so that a new notation is not generated wrongly. */
final class SchemaParser {
  private static final JsonMapper JSON = JsonMapper.builder().enable(JsonReadFeature.ALLOW_JAVA_COMMENTS).build();
  private static final Set<String> MESSAGE_KEYS = Set.of("apiKey", "type", "listeners", "name", "validVersions",
      "flexibleVersions", "latestVersionUnstable", "fields", "commonStructs");
  private static final Set<String> STRUCT_KEYS = Set.of("name", "versions", "fields", "about");
  private static final Set<String> FIELD_KEYS = Set.of("name", "type", "versions", "about", "default", "fields",
      "entityType", "ignorable", "nullableVersions", "mapKey", "tag", "taggedVersions", "zeroCopy");

  private final List<StructSchema> structs = new ArrayList<>();
  private final JsonNode root;
  private final Versions valid;

  private SchemaParser(JsonNode root) {
    this.root = root;
    valid = Versions.parse(text(root, "validVersions"));
  }

  static MessageSchema parse(InputStream schema) throws IOException {
    return new SchemaParser(JSON.readTree(schema)).message();
  }

  private MessageSchema message() {
    requireKnown(root, MESSAGE_KEYS);
    String name = text(root, "name");
    boolean isRequest = text(root, "type").equals("request");
    StructSchema body = new StructSchema(name, valid, "", fields(root, valid));
    for (JsonNode common : root.path("commonStructs")) {
      requireKnown(common, STRUCT_KEYS);
      Versions versions = Versions.parse(text(common, "versions")).intersect(valid);
      structs.add(
          new StructSchema(text(common, "name"), versions, common.path("about").asText(), fields(common, versions)));
    }
    Set<String> names = new HashSet<>();
    for (StructSchema struct : structs) {
      if (!names.add(struct.name())) {
        throw new IllegalArgumentException(name + " has two structs " + struct.name());
      }
    }
    Versions flexible = Versions.parse(text(root, "flexibleVersions")).intersect(valid);
    return new MessageSchema(root.path("apiKey").asInt(), isRequest, root.path("latestVersionUnstable").asBoolean(),
        flexible, body, List.copyOf(structs));
  }

  private List<FieldSchema> fields(JsonNode owner, Versions within) {
    List<FieldSchema> fields = new ArrayList<>();
    for (JsonNode node : owner.path("fields")) {
      requireKnown(node, FIELD_KEYS);
      Versions versions = Versions.parse(text(node, "versions")).intersect(within);
      if (!versions.isEmpty()) {
        fields.add(field(node, versions));
      }
    }
    return fields;
  }

  private FieldSchema field(JsonNode node, Versions versions) {
    FieldType type = FieldType.parse(text(node, "type"));
    String about = node.path("about").asText();
    if (node.has("fields")) {
      FieldType struct = type.kind() == FieldType.Kind.ARRAY ? type.elementType() : type;
      structs.add(new StructSchema(struct.structName(), versions, about, fields(node, versions)));
    }
    Versions nullable = Versions.parse(node.path("nullableVersions").asText("none")).intersect(versions);
    Versions tagged = Versions.parse(node.path("taggedVersions").asText("none")).intersect(versions);
    String defaultValue = node.has("default") ? node.get("default").asText() : null;
    return new FieldSchema(text(node, "name"), type, versions, nullable, tagged, node.path("tag").asInt(),
        node.path("ignorable").asBoolean(), defaultValue, about);
  }

  private static String text(JsonNode node, String key) {
    JsonNode value = node.get(key);
    if (value == null) {
      throw new IllegalArgumentException("no " + key + " in " + node);
    }
    return value.asText();
  }

  private static void requireKnown(JsonNode node, Set<String> known) {
    node.fieldNames().forEachRemaining(key -> {
      if (!known.contains(key)) {
        throw new IllegalArgumentException("unknown attribute " + key + " in " + node);
      }
    });
  }
}
