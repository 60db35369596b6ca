package dev.decant.kafka.protocol.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every version of every message, filled at random: Apache's classes and Decant's write the same bytes, and read them.
 */
class MessagePeerTest {
  private static final int ROUNDS = 8;

  private final long seed = Long.getLong("decant.seed", System.nanoTime());
  private final SplittableRandom random = new SplittableRandom(seed);
  private final Dialect ours = new OurDialect();
  private final Dialect apache = new ApacheDialect();

  static List<Schema> schemas() {
    return Schema.all();
  }

  @Test
  void everyApiHasItsTwoMessages() {
    assertThat(schemas()).hasSize(144);
  }

  @ParameterizedTest
  @MethodSource("schemas")
  void bothWriteTheSameBytesAndReadTheSameValues(Schema schema) throws ReflectiveOperationException {
    for (short version : schema.versions()) {
      for (int round = 0; round < ROUNDS; round++) {
        Map<String, @Nullable Object> tree = schema.random(random, version);
        String what = schema + " v" + version + ", seed " + seed + ": " + tree;
        Object message = ours.make(schema, tree);
        byte[] ourBytes = ours.write(message, version);
        byte[] theirBytes = apache.write(apache.make(schema, tree), version);
        assertThat(ourBytes).as(what).isEqualTo(theirBytes);

        Object readByUs = ours.read(schema, theirBytes, version);
        Object readByThem = apache.read(schema, ourBytes, version);
        assertThat(ours.tree(schema, readByUs)).as(what).isEqualTo(apache.tree(schema, readByThem));
        assertThat(contains(ours.tree(schema, readByUs), tree)).as(what).isTrue();
        assertThat(readByUs).as(what).isEqualTo(message).hasSameHashCodeAs(message);
        assertThat(readByUs.toString()).as(what).startsWith(schema.name + "(");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("schemas")
  void taggedFieldsOfALaterSchemaAreSkipped(Schema schema) throws ReflectiveOperationException {
    Dialect tomorrow = new ApacheDialect.OfTomorrow();
    for (short version : schema.versions()) {
      if (schema.isFlexible(version)) {
        Map<String, @Nullable Object> tree = schema.random(random, version);
        byte[] bytes = tomorrow.write(tomorrow.make(schema, tree), version);
        assertThat(ours.read(schema, bytes, version)).as("%s v%s, seed %s", schema, version, seed)
            .isEqualTo(ours.make(schema, tree));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("schemas")
  void aNewMessageHasTheSchemasDefaults(Schema schema) throws ReflectiveOperationException {
    Object message = ours.make(schema, Map.of());
    Object theirs = apache.make(schema, Map.of());
    assertThat(ours.tree(schema, message)).isEqualTo(apache.tree(schema, theirs));
  }

  /** Returns true if every value of a part is in the whole; the whole has defaults, too. */
  private static boolean contains(@Nullable Object whole, @Nullable Object part) {
    if (whole instanceof Map<?, ?> map && part instanceof Map<?, ?> some) {
      return some.entrySet().stream().allMatch(e -> contains(map.get(e.getKey()), e.getValue()));
    }
    if (whole instanceof List<?> all && part instanceof List<?> expected && all.size() == expected.size()) {
      for (int i = 0; i < all.size(); i++) {
        if (!contains(all.get(i), expected.get(i))) {
          return false;
        }
      }
      return true;
    }
    return whole == null ? part == null : whole.equals(part);
  }
}
