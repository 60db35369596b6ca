package dev.decant.fix.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The frame of a message: what is accepted, what is refused, and where its parts lie. */
class MessageViewTest {
  private final MessageView view = new MessageView();

  private int parse(String text) {
    return parse(TestMessages.bytes(text));
  }

  private int parse(byte[] message) {
    return view.parse(ByteBuffer.allocateDirect(message.length).put(0, message), 0, message.length, true);
  }

  private static byte[] order() {
    return TestMessages.message(TestMessages.ORDER_BODY);
  }

  @Test
  void messageIsTakenWhereverItLies() {
    byte[] order = order();
    for (int offset = 0; offset < 17; offset++) {
      ByteBuffer buffer = ByteBuffer.allocate(order.length + 40).put(offset, order);
      assertThat(view.parse(buffer, offset, offset + order.length, true)).isEqualTo(MessageView.OK);
      assertThat(view.messageFrom()).isEqualTo(offset);
      assertThat(view.messageTo()).isEqualTo(offset + order.length);
      assertThat(view.string(55)).isEqualTo("EUR/USD");
      assertThat(view.fieldFrom(0)).isEqualTo(offset);
    }
  }

  @Test
  void byteOrderOfTheBufferMakesNoDifference() {
    byte[] order = order();
    ByteBuffer little = ByteBuffer.allocateDirect(order.length).put(0, order).order(ByteOrder.LITTLE_ENDIAN);
    assertThat(view.parse(little, 0, order.length, true)).isEqualTo(MessageView.OK);
    assertThat(view.toString()).isEqualTo(TestMessages.view(order).toString());
    assertThat(view.timestamp(52)).isEqualTo(TestMessages.view(order).timestamp(52));
  }

  @Test
  void fieldsAreNumberedInTheirOrder() {
    assertThat(parse(order())).isEqualTo(MessageView.OK);
    int[] tags = new int[view.endField() - view.firstField()];
    for (int i = view.firstField(); i < view.endField(); i++) {
      tags[i] = view.tagAt(i);
    }
    assertThat(tags).containsExactly(8, 9, 35, 34, 49, 52, 56, 11, 21, 38, 40, 44, 54, 55, 59, 60, 10);
    assertThat(view.msgTypeKey()).isEqualTo(MsgType.key("D"));
  }

  @Test
  void bodyLiesBetweenHeaderAndTrailer() {
    assertThat(parse(order())).isEqualTo(MessageView.OK);
    assertThat(view.tagAt(view.bodyFirst())).isEqualTo(11);
    assertThat(view.tagAt(view.bodyEnd())).isEqualTo(10);

    assertThat(parse(TestMessages.message("35=D|34=1|11=A|93=3|89=a|b|"))).isEqualTo(MessageView.OK);
    assertThat(view.tagAt(view.bodyFirst())).isEqualTo(11);
    assertThat(view.tagAt(view.bodyEnd())).isEqualTo(93);
    assertThat(view.string(89)).isEqualTo("a\u0001b");

    assertThat(parse(TestMessages.message("35=0|"))).isEqualTo(MessageView.OK);
    assertThat(view.bodyFirst()).isEqualTo(3);
    assertThat(view.bodyEnd()).isEqualTo(3);
  }

  @Test
  void fieldOfTheBodyIsNoneOfTheHeader() {
    assertThat(parse(TestMessages.message("35=D|34=1|11=A|49=EVIL|"))).isEqualTo(MessageView.OK);
    assertThat(view.findInHeader(34)).isEqualTo(3);
    assertThat(view.findInHeader(49)).isEqualTo(-1);
    assertThat(view.findInHeader(11)).isEqualTo(-1);
    assertThat(view.findInHeader(999)).isEqualTo(-1);
    assertThat(view.find(49)).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "8", "8=FIX.4.4", "8=FIX.4.4|", "9=5|8=FIX.4.4|35=0|10=000|",
      "8=FIX.4.4|35=0|9=5|10=000|",
      "8=FIX.4.4|9=5|34=0|10=000|", "8=FIX.4.4|9=5|", "=|", "|", "||||||||||", "8=FIX.4.4|9=5|35=0", "35=0|8=F|9=5|"})
  void otherFirstFieldsAreRefused(String text) {
    assertThat(parse(text)).isEqualTo(MessageView.BAD_START);
    assertThat(view.msgTypeKey()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"4", "6", "", "-5", "+5", "5 ", "5.0", "99999999999999999999", "5x"})
  void wrongBodyLengthIsRefused(String length) {
    assertThat(parse("8=FIX.4.4|9=" + length + "|35=0|10=000|")).isEqualTo(MessageView.BAD_BODY_LENGTH);
  }

  @Test
  void zerosBeforeTheBodyLengthAreTaken() {
    String text = "8=FIX.4.4|9=005|35=0|";
    int sum = CheckSum.of(TestMessages.buffer(text), 0, text.length());
    assertThat(parse(text + "10=%03d|".formatted(sum))).isEqualTo(MessageView.OK);
  }

  @Test
  void everyWrongCheckSumIsRefusedAndTheRightOneIsTaken() {
    byte[] message = TestMessages.message("35=0|");
    String head = "8=FIX.4.4|9=5|35=0|";
    int taken = 0;
    for (int sum = 0; sum < 1000; sum++) {
      byte[] other = TestMessages.bytes(head + "10=%03d|".formatted(sum));
      int result = parse(other);
      assertThat(result).isEqualTo(Arrays.equals(other, message) ? MessageView.OK : MessageView.BAD_CHECK_SUM);
      taken += result == MessageView.OK ? 1 : 0;
      assertThat(view.parse(ByteBuffer.wrap(other), 0, other.length, false)).isEqualTo(MessageView.OK);
    }
    assertThat(taken).isOne();
  }

  @ParameterizedTest
  @ValueSource(strings = {"10=12|x", "10=1234", "1O=123|", "11=123|", "10:123|", "10=12a|", "10=-12|", "10= 12|"})
  void trailerThatIsNoCheckSumIsRefused(String trailer) {
    String text = "8=FIX.4.4|9=5|35=0|" + trailer;
    byte[] bytes = TestMessages.bytes(text);
    assertThat(view.parse(ByteBuffer.wrap(bytes), 0, bytes.length, false)).isIn(MessageView.BAD_CHECK_SUM,
        MessageView.BAD_FIELD);
  }

  /** The seven bytes before the end look like a CheckSum, but belong to the value of another field. */
  @Test
  void checkSumMustBeAFieldOfItsOwn() {
    for (String lastField : new String[] {"58=a", "10=a", "9610=1|58="}) {
      String body = "35=0|" + lastField;
      String text = "8=FIX.4.4|9=" + body.length() + "|" + body + "10=000|";
      byte[] bytes = TestMessages.bytes(text);
      assertThat(view.parse(ByteBuffer.wrap(bytes), 0, bytes.length, false)).as(text)
          .isEqualTo(MessageView.BAD_CHECK_SUM);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"=1|", "58|", "|", "a=1|", "5a=1|", "--5=1|", "-=1|", "007=1|", "00=1|", "-01=1|", " 58=1|",
          "58 =1|", "+58=1|", "1234567890123|"})
  void fieldWithoutTagOrEqualsSignIsRefused(String field) {
    for (String after : new String[] {"", "58=a longer text|"}) {
      assertThat(parse(TestMessages.message("35=0|34=1|" + field + after))).isIn(MessageView.BAD_FIELD,
          MessageView.BAD_CHECK_SUM);
      assertThat(view.find(34)).isEqualTo(3);
    }
  }

  @Test
  void oddTagsAreReadAsTheyAre() {
    assertThat(parse(TestMessages.message("35=0|0=a|-5=b|-0=c|12345=d|999999999=e|1234567890=f|99999999999999999999=g|"
        + "9999=h|1=|"))).isEqualTo(MessageView.OK);
    int[] tags = new int[9];
    for (int i = 0; i < tags.length; i++) {
      tags[i] = view.tagAt(3 + i);
    }
    assertThat(tags).containsExactly(0, -5, 0, 12_345, 999_999_999, 999_999_999, 999_999_999, 9_999, 1);
    assertThat(view.string(-5)).isEqualTo("b");
    assertThat(view.string(9_999)).isEqualTo("h");
    assertThat(view.string(1)).isEmpty();
    assertThat(view.find(999_999_999)).isEqualTo(7);
    assertThat(view.findNext(999_999_999, 7)).isEqualTo(8);
  }

  @Test
  void fieldsOfEachLengthAreFound() {
    StringBuilder body = new StringBuilder("35=0|");
    for (int tag = 1_000; tag < 1_100; tag++) {
      body.append(tag).append('=').append("x".repeat(tag - 1_000)).append('|');
    }
    for (int shift = 0; shift < 9; shift++) {
      assertThat(parse(TestMessages.message(body + "58=" + "y".repeat(shift) + "|"))).isEqualTo(MessageView.OK);
      for (int tag = 1_000; tag < 1_100; tag++) {
        assertThat(view.string(tag)).isEqualTo("x".repeat(tag - 1_000));
      }
    }
  }

  @Test
  void largeMessageMayFollowASmallOneAndTheOtherWayRound() {
    StringBuilder body = new StringBuilder("35=W|268=5000|");
    for (int i = 0; i < 5_000; i++) {
      body.append("269=0|270=").append(i).append('|');
    }
    for (int round = 0; round < 3; round++) {
      assertThat(parse(TestMessages.message(body.toString()))).isEqualTo(MessageView.OK);
      assertThat(view.endField()).isEqualTo(10_005);
      assertThat(view.integer(270)).isZero();
      assertThat(parse(order())).isEqualTo(MessageView.OK);
      assertThat(view.find(270)).isEqualTo(-1);
      assertThat(view.find(269)).isEqualTo(-1);
      assertThat(view.integer(38)).isEqualTo(1_000);
    }
  }

  @Test
  void dataFieldMayHoldTheDelimiter() {
    assertThat(parse(TestMessages.message("35=A|95=12|96=a|10=123|b=c|98=0|"))).isEqualTo(MessageView.OK);
    assertThat(view.string(96)).isEqualTo("a\u000110=123\u0001b=c");
    assertThat(view.integer(98)).isZero();
    assertThat(view.find(10)).isEqualTo(view.endField() - 1);
  }

  @Test
  void dataFieldThatDoesNotEndWhereItsLengthSaysIsRefused() {
    for (String length : new String[] {"0", "1", "2", "4", "5", "6", "7", "12", "1000", "2147483647", "2147483648",
        "999999999999999999", "-3", "", "x", "3.0", "0x3"}) {
      assertThat(parse(TestMessages.message("35=A|95=" + length + "|96=a|b|98=0|"))).as(length)
          .isNotEqualTo(MessageView.OK);
    }
    assertThat(parse(TestMessages.message("35=A|95=3|96=a|b|98=0|"))).isEqualTo(MessageView.OK);
    assertThat(parse(TestMessages.message("35=A|95=0|96=|98=0|"))).isEqualTo(MessageView.OK);
  }

  @Test
  void dataFieldWithoutItsLengthBeforeItEndsAtTheDelimiter() {
    assertThat(parse(TestMessages.message("35=A|96=abc|95=100|98=0|96=d|"))).isEqualTo(MessageView.OK);
    assertThat(view.string(96)).isEqualTo("abc");
  }

  @Test
  void lengthFieldsOfADictionaryCount() {
    MessageView own = new MessageView(DataFields.standardWith(new int[][] {{5_001, 5_002}}));
    byte[] message = TestMessages.message("35=A|5001=3|5002=a|b|95=1|96=||");
    assertThat(own.parse(ByteBuffer.wrap(message), 0, message.length, true)).isEqualTo(MessageView.OK);
    assertThat(own.string(5_002)).isEqualTo("a\u0001b");
    assertThat(parse(message)).isEqualTo(MessageView.BAD_FIELD);
  }

  @Test
  void msgTypeThatIsNotPrintableHasNoKey() {
    assertThat(parse(TestMessages.message("35=\0A|34=1|"))).isEqualTo(MessageView.OK);
    assertThat(view.msgTypeKey()).isZero();
    assertThat(parse(TestMessages.message("35=|34=1|"))).isEqualTo(MessageView.OK);
    assertThat(view.msgTypeKey()).isZero();
    assertThat(parse(TestMessages.message("35=ABCDE|34=1|"))).isEqualTo(MessageView.OK);
    assertThat(view.msgTypeKey()).isZero();
    assertThat(parse(TestMessages.message("35=U100|34=1|"))).isEqualTo(MessageView.OK);
    assertThat(view.msgTypeKey()).isEqualTo(MsgType.key("U100"));
  }

  @Test
  void textForPeopleHidesCredentials() {
    assertThat(parse(TestMessages.message("35=A|95=6|96=secret|553=me|554=secret|925=secret|")))
        .isEqualTo(MessageView.OK);
    assertThat(view.toString()).contains("35=A|95=6|96=***|553=me|554=***|925=***|10=").doesNotContain("secret");
  }

  @Test
  void eachProblemHasAPhrase() {
    assertThat(MessageView.problem(MessageView.BAD_START)).contains("BeginString");
    assertThat(MessageView.problem(MessageView.BAD_BODY_LENGTH)).contains("BodyLength");
    assertThat(MessageView.problem(MessageView.BAD_CHECK_SUM)).contains("CheckSum");
    assertThat(MessageView.problem(MessageView.BAD_FIELD)).contains("field");
    assertThat(MessageView.problem(MessageView.OK)).contains("well-formed");
  }

  @Test
  void viewWithoutAMessageHasNoFields() {
    MessageView unused = new MessageView();
    assertThat(unused.find(35)).isEqualTo(-1);
    assertThat(unused.findInHeader(35)).isEqualTo(-1);
    assertThat(unused.has(0)).isFalse();
    assertThat(unused.group(555, new GroupView()).next()).isFalse();
    assertThat(unused).hasToString("");
  }
}
