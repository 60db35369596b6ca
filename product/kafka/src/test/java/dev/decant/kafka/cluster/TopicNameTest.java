package dev.decant.kafka.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopicNameTest {
  @ParameterizedTest
  @ValueSource(strings = {"orders", "Orders.v1_2-x", "...", "0", "__consumer_offsets"})
  void namesThatBrokersTakeAreLegal(String name) {
    assertThat(TopicName.requireLegal(name)).isEqualTo(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "a b", "a/b", "a:b", "gr\u00f6\u00dfe", "a\n", "a*"})
  void othersAreRefusedByName(String name) {
    assertThatIllegalArgumentException().isThrownBy(() -> TopicName.requireLegal(name))
        .withMessageContaining("topic \"" + name.replace('\n', '?') + "\"");
  }

  @Test
  void aSettingIsNamedWithItsTopic() {
    assertThat(TopicName.requireLegal("deadLetters", "orders-dead")).isEqualTo("orders-dead");
    assertThatIllegalArgumentException().isThrownBy(() -> TopicName.requireLegal("deadLetters", "a b"))
        .withMessage("deadLetters: topic \"a b\": the character at 1 is none of a-z, A-Z, 0-9, '.', '_' and '-'");
  }

  @Test
  void aNameMayHave249Characters() {
    assertThat(TopicName.requireLegal("x".repeat(249))).hasSize(249);
    assertThatIllegalArgumentException().isThrownBy(() -> TopicName.requireLegal("x".repeat(100_000)))
        .satisfies(refused -> assertThat(refused.getMessage()).hasSizeLessThan(400));
  }
}
