package dev.decant.kafka.protocol.message;

import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.decant.kafka.protocol.ApiKey;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A message's schema, which the tests read without the generator, and random values for it. A value is a tree: a struct
 * is a map from the schema's field names, an integer a Long, bytes and identifiers are text.
 */
final class Schema {
  private static final JsonMapper JSON = JsonMapper.builder().enable(JsonReadFeature.ALLOW_JAVA_COMMENTS).build();

  final ApiKey api;
  final boolean isRequest;
  final String name;
  private final JsonNode root;
  private final Map<String, JsonNode> structs = new HashMap<>();

  private Schema(ApiKey api, boolean isRequest) {
    this.api = api;
    this.isRequest = isRequest;
    name = api.label() + (isRequest ? "Request" : "Response");
    try (InputStream in = ClassLoader.getSystemResourceAsStream("common/message/" + name + ".json")) {
      root = JSON.readTree(Objects.requireNonNull(in, name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    root.path("commonStructs").forEach(s -> structs.put(s.get("name").asText(), s.get("fields")));
    collect(root);
    for (JsonNode common : root.path("commonStructs")) {
      collect(common);
    }
  }

  private void collect(JsonNode owner) {
    for (JsonNode field : owner.path("fields")) {
      if (field.has("fields")) {
        structs.put(element(field.get("type").asText()), field.get("fields"));
        collect(field);
      }
    }
  }

  /** The schemas of every request and response that is implemented. */
  static List<Schema> all() {
    List<Schema> all = new ArrayList<>();
    for (ApiKey api : ApiKey.values()) {
      all.add(new Schema(api, true));
      all.add(new Schema(api, false));
    }
    return all;
  }

  static String element(String type) {
    return type.startsWith("[]") ? type.substring(2) : type;
  }

  List<Short> versions() {
    List<Short> versions = new ArrayList<>();
    for (short v = 0; v < 100; v++) {
      if (isIn(root.get("validVersions").asText(), v)) {
        versions.add(v);
      }
    }
    return versions;
  }

  boolean isFlexible(short version) {
    return isIn(root.get("flexibleVersions").asText(), version);
  }

  static boolean isIn(String versions, short version) {
    if (versions.equals("none")) {
      return false;
    }
    int dash = versions.indexOf('-');
    int lowest = Integer.parseInt(dash < 0 ? versions.replace("+", "") : versions.substring(0, dash));
    int highest = versions.endsWith("+")
        ? Short.MAX_VALUE
        : dash < 0 ? lowest : Integer.parseInt(versions.substring(dash + 1));
    return version >= lowest && version <= highest;
  }

  JsonNode fields() {
    return root.get("fields");
  }

  @Nullable
  JsonNode structFields(String type) {
    return structs.get(type);
  }

  /** Returns true if any valid version has the field. */
  boolean isEver(JsonNode field) {
    return versions().stream().anyMatch(v -> isIn(field.get("versions").asText(), v));
  }

  Map<String, @Nullable Object> random(SplittableRandom random, short version) {
    return randomStruct(random, version, fields());
  }

  private Map<String, @Nullable Object> randomStruct(SplittableRandom random, short version, JsonNode fields) {
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    for (JsonNode field : fields) {
      boolean isTagged = isIn(field.path("taggedVersions").asText("none"), version);
      if (!isIn(field.get("versions").asText(), version) || (isTagged && random.nextInt(3) == 0)) {
        continue;
      }
      boolean isNull = isIn(field.path("nullableVersions").asText("none"), version) && random.nextInt(4) == 0;
      tree.put(field.get("name").asText(), isNull ? null : randomValue(random, version, field.get("type").asText()));
    }
    return tree;
  }

  private Object randomValue(SplittableRandom random, short version, String type) {
    if (type.startsWith("[]")) {
      List<Object> list = new ArrayList<>();
      int count = random.nextInt(4);
      for (int i = 0; i < count; i++) {
        list.add(randomValue(random, version, element(type)));
      }
      return list;
    }
    return switch (type) {
      case "bool" -> random.nextBoolean();
      case "int8" -> (long) (byte) random.nextInt();
      case "int16" -> (long) (short) random.nextInt();
      case "uint16" -> (long) random.nextInt(65536);
      case "int32" -> (long) random.nextInt();
      case "int64" -> random.nextLong();
      case "float64" -> random.nextDouble();
      case "uuid" -> Base64.getUrlEncoder().withoutPadding().encodeToString(randomBytes(random, 16));
      case "string" -> randomText(random);
      case "bytes", "records" -> Base64.getEncoder().encodeToString(randomBytes(random, random.nextInt(40)));
      default -> randomStruct(random, version, Objects.requireNonNull(structs.get(type), type));
    };
  }

  private static byte[] randomBytes(SplittableRandom random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static String randomText(SplittableRandom random) {
    int length = random.nextInt(10) == 0 ? random.nextInt(300) : random.nextInt(12);
    String alphabet = "abcdefghijklmnopqrstuvwxyz-_.0123456789äß€漢";
    StringBuilder text = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      text.append(alphabet.charAt(random.nextInt(alphabet.length())));
    }
    return text.toString();
  }

  @Override
  public String toString() {
    return name;
  }
}
