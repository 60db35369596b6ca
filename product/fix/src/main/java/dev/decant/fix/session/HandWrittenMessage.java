package dev.decant.fix.session;

import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.RejectReason;
import dev.decant.fix.message.StandardHeader;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionSettings;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A message that an operator has typed or copied from a log: {@code 35=D|11=ORDER-1|55=DECANT}. Fields that the session
 * sets are dropped: BeginString, BodyLength, CompIDs with their sub-identifiers and locations, MsgSeqNum, PossDupFlag,
 * times, CheckSum. Other header fields go to the front.
 *
 * @param msgType MsgType as a number
 * @param body the fields behind those of the session
 */
public record HandWrittenMessage(int msgType, ByteBuffer body) {
  private static final char SOH = 1;
  private static final int LARGEST_TAG = 999_999_999;

  /**
   * Parses and checks a message.
   *
   * @param fields {@code tag=value}, separated by {@code |}, or by SOH if the text contains one
   * @param settings the settings of the session that will send it; their dictionaries check the message
   * @throws IllegalArgumentException if it cannot be sent; its text is one line with the reason
   */
  public static HandWrittenMessage parse(String fields, SessionSettings settings) {
    String type = "";
    ByteArrayOutputStream header = new ByteArrayOutputStream();
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    char separator = fields.indexOf(SOH) >= 0 ? SOH : '|';
    int from = 0;
    while (from < fields.length()) {
      int end = fields.indexOf(separator, from);
      end = end < 0 ? fields.length() : end;
      String field = fields.substring(from, end).strip();
      from = end + 1;
      if (field.isEmpty() && (from >= fields.length() || (type.isEmpty() && body.size() == 0))) {
        continue; // A separator at the begin, or a line end at the end.
      }
      int tag = tag(field);
      String value = field.substring(field.indexOf('=') + 1);
      if (tag == Tag.MSG_TYPE) {
        requireOne(type, value);
        type = value;
      } else if (!isSetBySession(tag)) {
        byte[] bytes = bytes(tag, value);
        (StandardHeader.contains(tag) ? header : body).writeBytes(bytes);
      }
    }
    return checked(type, header, body, settings);
  }

  private static void requireOne(String type, String other) {
    if (!type.isEmpty()) {
      throw new IllegalArgumentException("there are two MsgTypes, '" + SessionText.shown(type) + "' and '"
          + SessionText.shown(other) + "': one message at a time can be sent");
    }
  }

  private static int tag(String field) {
    int equals = field.indexOf('=');
    if (equals <= 0) {
      throw new IllegalArgumentException("'" + SessionText.shown(field) + "' is no field: tag=value is wanted");
    }
    int tag = 0;
    for (int i = 0; i < equals; i++) {
      char c = field.charAt(i);
      tag = c < '0' || c > '9' || tag > LARGEST_TAG / 10 || (i == 0 && c == '0') ? -1 : tag * 10 + c - '0';
      if (tag < 0) {
        throw new IllegalArgumentException("'" + SessionText.shown(field.substring(0, equals)) + "' is no tag");
      }
    }
    if (equals == field.length() - 1) {
      throw new IllegalArgumentException("field " + tag + " has no value");
    }
    return tag;
  }

  private static boolean isSetBySession(int tag) {
    return switch (tag) {
      case Tag.BEGIN_STRING, Tag.BODY_LENGTH, Tag.CHECK_SUM, Tag.MSG_SEQ_NUM, Tag.POSS_DUP_FLAG, Tag.SENDER_COMP_ID,
          Tag.SENDER_SUB_ID, Tag.SENDING_TIME, Tag.TARGET_COMP_ID, Tag.TARGET_SUB_ID, Tag.ORIG_SENDING_TIME,
          Tag.LAST_MSG_SEQ_NUM_PROCESSED, Tag.SENDER_LOCATION_ID, Tag.TARGET_LOCATION_ID ->
        true;
      default -> false;
    };
  }

  private static byte[] bytes(int tag, String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == SOH || c > 0xFF) {
        throw new IllegalArgumentException("field " + tag + " has character " + (int) c + ", which is not one byte");
      }
    }
    return (tag + "=" + value + SOH).getBytes(StandardCharsets.ISO_8859_1);
  }

  private static HandWrittenMessage checked(String type, ByteArrayOutputStream header, ByteArrayOutputStream body,
      SessionSettings settings) {
    if (type.isEmpty()) {
      throw new IllegalArgumentException("there is no MsgType(35)");
    }
    int key = MsgType.key(type);
    if (MsgType.isAdmin(key)) {
      throw new IllegalArgumentException("MsgType " + type + " is a message of the session, which sends it itself;"
          + " reset, set a number, test, log out or resend instead");
    }
    if (body.size() == 0) {
      throw new IllegalArgumentException("there is no field beside the header");
    }
    header.writeBytes(body.toByteArray());
    if (header.size() > settings.maxMessageBytes()) {
      throw new IllegalArgumentException("a message of " + header.size() + " bytes; maxMessageBytes is "
          + settings.maxMessageBytes());
    }
    HandWrittenMessage message = new HandWrittenMessage(key, ByteBuffer.wrap(header.toByteArray()));
    String problem = problem(message, settings);
    if (problem != null) {
      throw new IllegalArgumentException(problem);
    }
    return message;
  }

  /**
   * Returns why the counterparty would reject the message, as far as the session's dictionaries know; null if it is
   * valid.
   */
  private static @Nullable String problem(HandWrittenMessage message, SessionSettings settings) {
    MessageEncoder encoder = new MessageEncoder(settings);
    ByteBuffer whole = ByteBuffer.allocate(encoder.maxBytes(message.body.limit()));
    int bytes = encoder.begin(message.msgType, 1, MessageEncoder.NOT_SENT_BEFORE, 0, 0)
        .encode(whole, 0, message.body, 0, message.body.limit());
    MessageView view = new MessageView(settings.dataFields());
    int result = view.parse(whole, 0, bytes, false);
    if (result != MessageView.OK) {
      return MessageView.problem(result);
    }
    Validation rules = Validation.of(settings);
    int reason = rules == null ? Validation.VALID : rules.validate(view);
    if (rules == null || reason == Validation.VALID) {
      return null;
    }
    int tag = rules.failingTag(reason);
    return RejectReason.sessionText(reason) + (tag == RejectMessages.NO_TAG ? "" : ", field " + tag);
  }
}
