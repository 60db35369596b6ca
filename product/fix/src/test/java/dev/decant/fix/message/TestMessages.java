package dev.decant.fix.message;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Messages as bytes, from text with {@code |} for the delimiter. */
public final class TestMessages {
  /** An order as a counterparty sends it, without frame. */
  public static final String ORDER_BODY = "35=D|34=123456|49=BUYSIDE|52=20261124-09:30:00.123|56=SELLSIDE|"
      + "11=ORD-000001|21=1|38=1000|40=2|44=101.25|54=1|55=EUR/USD|59=0|60=20261124-09:30:00.123|";

  private TestMessages() {}

  /** Bytes of a text, one a character. */
  public static byte[] bytes(String text) {
    return text.replace('|', '\u0001').getBytes(StandardCharsets.ISO_8859_1);
  }

  /** A buffer with a text and nothing else. */
  public static ByteBuffer buffer(String text) {
    byte[] bytes = bytes(text);
    return ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
  }

  /** A message with BeginString, BodyLength and CheckSum around a body that begins with MsgType. */
  public static byte[] message(String body) {
    return message("FIX.4.4", bytes(body));
  }

  /** A message with BeginString, BodyLength and CheckSum around a body that begins with MsgType. */
  public static byte[] message(String beginString, byte[] body) {
    byte[] head = bytes("8=" + beginString + "|9=" + body.length + "|");
    ByteBuffer message = ByteBuffer.allocate(head.length + body.length + 7).put(head).put(body);
    int sum = 0;
    for (int i = 0; i < message.position(); i++) {
      sum += message.get(i) & 0xFF;
    }
    return message.put(bytes("10=%03d|".formatted(sum & 0xFF))).array();
  }

  /** A view of a message, whose parsing succeeds. */
  public static MessageView view(String body) {
    return view(message(body));
  }

  /** A view of a message, whose parsing succeeds. */
  public static MessageView view(byte[] message) {
    MessageView view = new MessageView();
    int result = view.parse(ByteBuffer.allocateDirect(message.length).put(0, message), 0, message.length, true);
    if (result != MessageView.OK) {
      throw new AssertionError(MessageView.problem(result));
    }
    return view;
  }
}
