package dev.decant.kafka.settings;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Setting names that Kafka's clients pass on to serializers and interceptors. Decant's own clients get encoders and
 * decoders in code, so these names have no effect.
 */
final class ForeignNames {
  /** The settings that name a class of the application or of a library. */
  private static final List<String> OF_CLASSES = List.of("key.serializer", "value.serializer", "key.deserializer",
      "value.deserializer", "interceptor.classes");

  /** First parts of names, and whole names, of Confluent's, Apicurio's, Azure's, Amazon's and Spring's serializers. */
  private static final Set<String> KNOWN = Set.of("apicurio", "auto.register", "avro", "basic.auth", "bearer.auth",
      "confluent", "context.name.strategy", "derive.type", "enable.rule.service.loader", "id.compatibility", "json",
      "key.schema", "key.subject", "latest.cache", "latest.compatibility", "max.schemas.per.subject", "missing.cache",
      "missing.id", "missing.schema", "missing.version", "normalize.schemas", "propagate.schema.tags", "protobuf",
      "proxy", "reference.lookup", "reference.subject", "registry.name", "rule", "schema",
      "schemaAutoRegistrationEnabled",
      "schemaName", "skip.known.types", "specific.avro", "specific.protobuf", "spring.deserializer", "spring.json",
      "spring.kafka.key.serialization", "spring.kafka.value.serialization", "subject.name.strategy", "use.latest",
      "use.schema.id", "value.schema", "value.subject", "avroRecordType", "dataFormat", "wrapper");

  /** Parts of package names that do not identify a library. */
  private static final Set<String> GENERIC = Set.of("apache", "com", "common", "de", "dev", "edu", "io", "kafka", "net",
      "org", "serde", "serdes", "serialization", "serializer", "serializers", "software", "streams", "support", "util",
      "utils");

  private final Set<String> spaces = new HashSet<>();
  private final boolean hasForeignClass;

  /**
   * Reads the classes that the settings name.
   *
   * @param given by Kafka's names
   */
  ForeignNames(Map<String, ?> given) {
    boolean found = false;
    for (String setting : OF_CLASSES) {
      Object value = given.get(setting);
      for (String type : value == null ? new String[0] : SettingText.of(value).split("\\s*,\\s*")) {
        if (type.contains(".") && !type.startsWith("org.apache.kafka.")) {
          found = true;
          List<String> parts = Arrays.asList(type.split("[.]"));
          spaces.addAll(parts.subList(0, parts.size() - 1));
        }
      }
    }
    hasForeignClass = found;
    spaces.removeAll(GENERIC);
    SettingTable.names().forEach(name -> spaces.remove(firstPart(name)));
  }

  /** Returns true if the settings name a serializer or interceptor that is not one of Kafka's. */
  boolean hasForeignClass() {
    return hasForeignClass;
  }

  /**
   * Returns true if a name that Kafka does not know begins like the names of a known library, or like the package of a
   * named class.
   */
  boolean has(String name) {
    if (spaces.contains(firstPart(name))) {
      return true;
    }
    String part = name;
    for (int dot = name.length(); dot > 0; dot = part.lastIndexOf('.')) {
      part = name.substring(0, dot);
      if (KNOWN.contains(part)) {
        return true;
      }
    }
    return false;
  }

  private static String firstPart(String name) {
    int dot = name.indexOf('.');
    return dot < 0 ? name : name.substring(0, dot);
  }
}
