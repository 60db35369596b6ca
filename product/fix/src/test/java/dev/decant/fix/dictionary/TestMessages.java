package dev.decant.fix.dictionary;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.message.DataFields;
import dev.decant.fix.message.MessageView;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Messages written as text, with {@code |} for the delimiter; BodyLength and CheckSum are added. */
final class TestMessages {
  static final String TIME = "20240229-12:30:45.123";

  private TestMessages() {}

  /** The bytes of a message whose fields from MsgType on are given. */
  static byte[] bytes(String beginString, String fields) {
    String body = fields.replace('|', '\u0001');
    String text = "8=" + beginString + "\u00019=" + body.length() + "\u0001" + body;
    int sum = 0;
    for (byte b : text.getBytes(StandardCharsets.ISO_8859_1)) {
      sum += b & 0xFF;
    }
    text += String.format(Locale.ROOT, "10=%03d\u0001", sum % 256);
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
  }

  /** A well-formed message. */
  static MessageView message(String beginString, String fields, DataFields dataFields) {
    byte[] bytes = bytes(beginString, fields);
    MessageView view = new MessageView(dataFields);
    assertThat(view.parse(direct(bytes), 0, bytes.length, true)).as("%.500s", fields).isEqualTo(MessageView.OK);
    return view;
  }

  /** The header after MsgType, for a message that is otherwise complete. */
  static String header(String msgType) {
    return "35=" + msgType + "|34=2|49=SHIP|52=" + TIME + "|56=PORT|";
  }
}
