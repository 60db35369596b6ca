package dev.decant.fix.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MsgTypeTest {
  @ParameterizedTest
  @ValueSource(strings = {"0", "D", "AE", "U10", "U100", "~~~~"})
  void keyIsTheSameForTextAndBytes(String text) {
    int key = MsgType.key(text);
    assertThat(MsgType.key(TestMessages.buffer("35=" + text + "|"), 3, 3 + text.length())).isEqualTo(key);
    assertThat(MsgType.text(key)).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "ABCDE", " ", "A ", "\u0001", "\u007f", "\u00e9", "\u0141", "A\0", "\0A"})
  void otherTextsAreRefused(String text) {
    assertThatThrownBy(() -> MsgType.key(text)).isInstanceOf(IllegalArgumentException.class);
    if (text.chars().allMatch(c -> c <= 0xFF)) {
      assertThat(MsgType.key(TestMessages.buffer(text), 0, text.length())).isZero();
    }
  }

  @Test
  void sevenTypesBelongToTheSession() {
    int count = 0;
    for (int key = 0; key < 1 << 16; key++) {
      count += MsgType.isAdmin(key) ? 1 : 0;
    }
    assertThat(count).isEqualTo(7);
    assertThat(MsgType.isAdmin(MsgType.LOGON)).isTrue();
    assertThat(MsgType.isAdmin(MsgType.key("n"))).isFalse();
    assertThat(MsgType.isAdmin(MsgType.BUSINESS_MESSAGE_REJECT)).isFalse();
    assertThat(MsgType.isAdmin(MsgType.key("AA"))).isFalse();
  }

  @Test
  void reasonsHaveTheTextsOfTheSpecification() {
    assertThat(RejectReason.sessionText(RejectReason.REQUIRED_TAG_MISSING)).isEqualTo("Required tag missing");
    assertThat(RejectReason.sessionText(RejectReason.COMP_ID_PROBLEM)).isEqualTo("CompID problem");
    assertThat(RejectReason.sessionText(RejectReason.INCORRECT_NUM_IN_GROUP)).startsWith("Incorrect NumInGroup count");
    assertThat(RejectReason.sessionText(RejectReason.OTHER)).isEqualTo("Other");
    assertThat(RejectReason.sessionText(-1)).isEqualTo("Other");
    assertThat(RejectReason.businessText(RejectReason.BUSINESS_UNSUPPORTED_MESSAGE_TYPE))
        .isEqualTo("Unsupported message type");
    assertThat(RejectReason.businessText(RejectReason.BUSINESS_CONDITIONALLY_REQUIRED_FIELD_MISSING))
        .isEqualTo("Conditionally required field missing");
    assertThat(RejectReason.businessText(77)).isEqualTo("Other");
  }
}
