package dev.decant.codegen;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request or response.
 *
 * @param apiKey the number of the API
 * @param isRequest request, or response
 * @param latestVersionUnstable whether the highest version is still being developed
 * @param flexible the versions with compact types and tagged fields (KIP-482)
 * @param body its own fields; their versions are the valid ones
 * @param structs its structs, each with a name of its own
 */
record MessageSchema(int apiKey, boolean isRequest, boolean latestVersionUnstable, Versions flexible, StructSchema body,
    List<StructSchema> structs) {

  String name() {
    return body.name();
  }

  Versions versions() {
    return body.versions();
  }

  int highestStableVersion() {
    return latestVersionUnstable ? versions().highest() - 1 : versions().highest();
  }

  StructSchema struct(String structName) {
    return structs.stream().filter(s -> s.name().equals(structName)).findFirst()
        .orElseThrow(() -> new IllegalArgumentException(name() + " has no struct " + structName));
  }

  /** The bytes that a value takes at least in those of the given versions that are flexible, or that are not. */
  int minBytes(FieldType type, Versions within, boolean isFlexible) {
    int least = Integer.MAX_VALUE;
    for (int version = within.lowest(); version <= within.highest(); version++) {
      if (flexible.contains(version) == isFlexible) {
        least = Math.min(least, minBytes(type, version));
      }
    }
    return least == Integer.MAX_VALUE ? 1 : Math.max(1, least);
  }

  private int minBytes(FieldType type, int version) {
    boolean isFlexible = flexible.contains(version);
    if (type.kind() != FieldType.Kind.STRUCT) {
      return isFlexible ? type.kind().minFlexibleBytes : type.kind().minPlainBytes;
    }
    int sum = isFlexible ? 1 : 0;
    for (FieldSchema field : struct(type.structName()).fields()) {
      if (field.versions().contains(version) && !field.tagged().contains(version)) {
        sum += mayBeNullStruct(field, version) ? 1 : minBytes(field.type(), version);
      }
    }
    return sum;
  }

  private static boolean mayBeNullStruct(FieldSchema field, int version) {
    return field.type().kind() == FieldType.Kind.STRUCT && field.nullable().contains(version);
  }

  /** Whether a field holds that struct directly, so that the struct has to tell whether it is as it was made. */
  boolean isSingleField(@Nullable String structName) {
    return structs.stream().anyMatch(s -> holds(s, structName)) || holds(body, structName);
  }

  private static boolean holds(StructSchema struct, @Nullable String structName) {
    return struct.fields().stream().anyMatch(
        f -> f.type().kind() == FieldType.Kind.STRUCT && f.type().structName().equals(structName)
            && !f.isNullByDefault());
  }
}
