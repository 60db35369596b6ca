package dev.decant.codegen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MessageCodeTest {

  @Test
  void everyNotationOfASchemaBecomesTheExpectedJava() throws IOException {
    assertThat(MessageCode.write(golden(), "golden")).isEqualTo(text("GoldenRequest.java.txt"));
  }

  @Test
  void theEnumerationOfApisBecomesTheExpectedJava() throws IOException {
    assertThat(ApiKeyCode.write(List.of(golden()), "golden"))
        .contains("  GOLDEN(\"Golden\", 99, 1, 5, 4, 3);\n", "new ApiKey[100]");
  }

  @ParameterizedTest
  @CsvSource({"ApiVersions,API_VERSIONS", "Produce,PRODUCE", "OffsetForLeaderEpoch,OFFSET_FOR_LEADER_EPOCH"})
  void constantsAreNamedAsInKafka(String label, String constant) {
    assertThat(ApiKeyCode.constantName(label)).isEqualTo(constant);
  }

  @Test
  void anAttributeThatTheGeneratorDoesNotKnowIsRefused() {
    String schema = """
        {"apiKey": 1, "type": "request", "name": "XRequest", "validVersions": "0", "flexibleVersions": "none",
         "fields": [{"name": "A", "type": "int8", "versions": "0+", "colour": "red"}]}""";
    assertThatThrownBy(() -> SchemaParser.parse(new ByteArrayInputStream(schema.getBytes(StandardCharsets.UTF_8))))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("unknown attribute colour");
  }

  @ParameterizedTest
  @CsvSource({"3+,version >= 3", "0-4,version <= 4", "2,version == 2", "2-3,version >= 2 && version <= 3"})
  void aRangeBecomesACondition(String range, String condition) {
    assertThat(Versions.parse(range).condition(new Versions(1, 5))).isEqualTo(condition);
  }

  private static MessageSchema golden() throws IOException {
    try (InputStream in = resource("GoldenRequest.json")) {
      return SchemaParser.parse(in);
    }
  }

  private static String text(String name) throws IOException {
    try (InputStream in = resource(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static InputStream resource(String name) {
    return Objects.requireNonNull(MessageCodeTest.class.getResourceAsStream("/golden/" + name), name);
  }
}
