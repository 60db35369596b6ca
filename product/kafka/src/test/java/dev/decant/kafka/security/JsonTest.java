package dev.decant.kafka.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  private static final String SAMPLE = """
      { "access_token" : "a\\u0041\\n\\"\\\\\\/", "expires_in":3600, "list":[1,-2.5e3,true,false,null,[],{}],
        "empty":{} }""";

  private static Map<String, @Nullable Object> read(String json) {
    return Json.object(json.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void anObjectIsReadWithAllKindsOfValues() {
    Map<String, @Nullable Object> object = read(SAMPLE);
    assertThat(object).containsEntry("access_token", "aA\n\"\\/").containsEntry("expires_in", new BigDecimal(3600))
        .containsEntry("empty", Map.of());
    assertThat(object.get("list")).isEqualTo(Arrays.asList(BigDecimal.ONE, new BigDecimal("-2.5e3"), true, false, null,
        List.of(), Map.of()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "[]", "null", "{", "{}}", "{} x", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
      "{\"a\":01}", "{\"a\":1.}", "{\"a\":+1}", "{\"a\":NaN}", "{\"a\":'x'}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}",
      "{\"a\":\"\n\"}", "{\"a\":\"x", "{\"a\":1,\"a\":2}", "{\"a\":tru}", "{\"a\":1e99999999999}", "{\"a\":[1 2]}",
      "{\"a\":111111111111111111111111111111111111111111}", "<html></html>"})
  void anythingElseIsRefused(String json) {
    assertThatThrownBy(() -> read(json)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("it has ");
  }

  @Test
  void deepNestingAndBytesThatAreNoUtf8AreRefused() {
    assertThatThrownBy(() -> read("{\"a\":" + "[".repeat(100_000))).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("levels");
    assertThatThrownBy(() -> Json.object(new byte[] {'{', (byte) 0xFF, '}'}))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("UTF-8");
  }

  @Test
  void mutatedTextIsReadOrRefusedAndItsContentIsNotRepeated() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    byte[] sample = SAMPLE.replace("3600", "\"hunter2\"").getBytes(StandardCharsets.UTF_8);
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] mutated = Arrays.copyOf(sample, random.nextInt(sample.length + 1));
      for (int k = random.nextInt(4); k > 0 && mutated.length > 0; k--) {
        mutated[random.nextInt(mutated.length)] = (byte) random.nextInt(256);
      }
      try {
        Json.object(mutated);
      } catch (IllegalArgumentException e) {
        refused++;
        assertThat(e.getMessage()).as("seed %d", seed).doesNotContain("hunter2");
      }
    }
    assertThat(refused).as("seed %d", seed).isGreaterThan(10_000);
  }
}
