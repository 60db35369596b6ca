package dev.decant.fake.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.regex.PatternSyntaxException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that expressions of subscriptions are those of RE2, and that every match ends. */
@Timeout(30)
class SubscriptionPatternTest {
  @ParameterizedTest
  @ValueSource(strings = {"(a+)+b", ".*a.*a.*a.*a.*a.*b", "(a|a)*b", "(.*)*x", "(a?){200}a{200}b"})
  void matchThatBacktracksWithoutEndIsNoMatch(String expression) {
    SubscriptionPattern pattern = SubscriptionPattern.compile(expression);
    assertThat(pattern.matches("a".repeat(249))).isFalse();
  }

  @Test
  void matchThatTakesTooLongIsKnownAsSuch() {
    assertThat(SubscriptionPattern.compile(".*a.*a.*a.*a.*a.*b").isQuick("a".repeat(249))).isFalse();
    assertThat(SubscriptionPattern.compile(".*a.*b.*").isQuick("a".repeat(249))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"(?=orders)or.*", "(?!a).*", "(?<=a)b", "(?<!a)b", "(?>a)b", "(a)\\1", "(?<n>a)\\k<n>", "a++",
      "a*+", "a?+", "a{2}+", "("})
  void expressionThatBrokersDoNotKnowIsRefused(String expression) {
    assertThatThrownBy(() -> SubscriptionPattern.compile(expression)).isInstanceOf(PatternSyntaxException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"orders-.*", "(?:orders|bills)-\\d+", "orders-[+*?]?1", "\\Qorders-1\\E", "orders\\-1",
      "(?<name>orders)-.+?", "orders-1{1}"})
  void expressionThatBrokersKnowMatches(String expression) {
    assertThat(SubscriptionPattern.compile(expression).matches("orders-1")).isTrue();
  }
}
