package dev.decant.fix.quickfix;

import dev.decant.fix.message.FieldException;
import dev.decant.fix.message.FieldView;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.Tag;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;
import org.quickfixj.CharsetSupport;
import quickfix.DataDictionary;
import quickfix.DataDictionaryProvider;
import quickfix.InvalidMessage;
import quickfix.Message;
import quickfix.MessageFactory;
import quickfix.MessageUtils;
import quickfix.SessionID;
import quickfix.StringField;
import quickfix.ValidationSettings;
import quickfix.field.ApplVerID;

/**
 * Makes messages of QuickFIX/J from received bytes, and fields for Decant's session from messages of QuickFIX/J.
 * Decant has validated what it received, so QuickFIX/J does not do that again; it needs its dictionaries to find groups.
 *
 * <p>Any thread.
 */
final class MessageConversion {
  private static final String LOGON = "A";

  private final SessionID id;
  private final MessageFactory factory;
  private final @Nullable DataDictionaryProvider dictionaries;
  private final ValidationSettings validation;
  private final @Nullable ApplVerID ownVersion;
  private volatile @Nullable ApplVerID targetVersion;

  MessageConversion(SessionID id, MessageFactory factory, @Nullable DataDictionaryProvider dictionaries,
      ValidationSettings validation, String defaultApplVerId) {
    this.id = id;
    this.factory = factory;
    this.dictionaries = dictionaries;
    this.validation = validation;
    this.ownVersion = id.isFIXT() ? new ApplVerID(defaultApplVerId) : MessageUtils.toApplVerID(id.getBeginString());
  }

  @Nullable
  DataDictionaryProvider dictionaries() {
    return dictionaries;
  }

  ValidationSettings validation() {
    return validation;
  }

  @Nullable
  ApplVerID targetVersion() {
    return targetVersion;
  }

  /** The counterparty's Logon(A) says which version its messages have. */
  void takeVersion(MessageView logon) {
    if (id.isFIXT() && logon.has(Tag.DEFAULT_APPL_VER_ID)) {
      targetVersion = new ApplVerID(logon.string(Tag.DEFAULT_APPL_VER_ID));
    }
  }

  /**
   * Makes a message of received or stored bytes.
   *
   * @throws FieldException if it has a field twice, or another fault that Decant was told to let pass
   */
  Message parse(MessageView view) {
    byte[] bytes = new byte[view.messageTo() - view.messageFrom()];
    view.buffer().get(view.messageFrom(), bytes);
    String text = new String(bytes, charset());
    String type = MsgType.text(view.msgTypeKey());
    boolean isAdmin = MsgType.isAdmin(view.msgTypeKey());
    ApplVerID version = version(view, isAdmin);
    Message message = factory.create(id.getBeginString(), version, type);
    try {
      DataDictionaryProvider all = dictionaries;
      DataDictionary session = all == null ? null : all.getSessionDataDictionary(id.getBeginString());
      if (all == null || session == null) {
        message.fromString(text, null, validation, false);
      } else {
        DataDictionary body = isAdmin ? session : all.getApplicationDataDictionary(version);
        message.fromString(text, session, body == null ? session : body, validation, false);
      }
    } catch (InvalidMessage e) {
      throw new IllegalStateException("QuickFIX/J cannot read the message: " + e.getMessage(), e);
    }
    quickfix.FieldException fault = message.getException();
    if (fault != null) {
      throw new FieldException(fault.getField(), fault.getSessionRejectReason(), String.valueOf(fault.getMessage()));
    }
    return message;
  }

  private @Nullable ApplVerID version(MessageView view, boolean isAdmin) {
    if (!id.isFIXT()) {
      return isAdmin && !view.contentEquals(Tag.MSG_TYPE, LOGON) ? null : ownVersion;
    }
    if (isAdmin) {
      return ownVersion;
    }
    if (view.has(Tag.APPL_VER_ID)) {
      return new ApplVerID(view.string(Tag.APPL_VER_ID));
    }
    ApplVerID announced = targetVersion;
    return announced == null ? ownVersion : announced;
  }

  /** An empty message of the session layer, to be completed by {@code toAdmin}. */
  Message admin(String type) {
    return factory.create(id.getBeginString(), type);
  }

  /** Copies fields of a message body that has no groups. */
  static void copyFields(ByteBuffer buffer, int from, int to, Message message) {
    byte[] bytes = new byte[to - from];
    buffer.get(from, bytes);
    for (String field : new String(bytes, charset()).split("\u0001", -1)) {
      int equals = field.indexOf('=');
      if (equals > 0) {
        message.setField(new StringField(Integer.parseInt(field.substring(0, equals)), field.substring(equals + 1)));
      }
    }
  }

  /** The bytes of a whole message, as QuickFIX/J writes it. */
  static byte[] bytes(Message message) {
    return message.toString().getBytes(charset());
  }

  /**
   * Writes the fields of a message that Decant's session does not set itself: those of the header first, then body and
   * trailer.
   *
   * @param view of the whole message
   * @param possDup whether PossDupFlag(43) and OrigSendingTime(122) are the sender's
   */
  void write(MessageView view, boolean possDup, FieldWriter to) {
    for (int i = view.firstField(); i < view.bodyFirst(); i++) {
      if (!isOfSession(view.tagAt(i), possDup)) {
        to.copy(view, i);
      }
    }
    to.copy(view, view.bodyFirst(), last(view));
  }

  /** The index after the last field before CheckSum(10). */
  private static int last(FieldView view) {
    int end = view.endField();
    return view.tagAt(end - 1) == Tag.CHECK_SUM ? end - 1 : end;
  }

  private boolean isOfSession(int tag, boolean possDup) {
    return switch (tag) {
      case Tag.BEGIN_STRING, Tag.BODY_LENGTH, Tag.MSG_TYPE, Tag.SENDER_COMP_ID, Tag.TARGET_COMP_ID, Tag.MSG_SEQ_NUM,
          Tag.SENDING_TIME, Tag.LAST_MSG_SEQ_NUM_PROCESSED ->
        true;
      case Tag.POSS_DUP_FLAG, Tag.ORIG_SENDING_TIME -> !possDup;
      case Tag.SENDER_SUB_ID -> !id.getSenderSubID().isEmpty();
      case Tag.SENDER_LOCATION_ID -> !id.getSenderLocationID().isEmpty();
      case Tag.TARGET_SUB_ID -> !id.getTargetSubID().isEmpty();
      case Tag.TARGET_LOCATION_ID -> !id.getTargetLocationID().isEmpty();
      default -> false;
    };
  }

  static Charset charset() {
    return CharsetSupport.getCharsetInstance();
  }
}
