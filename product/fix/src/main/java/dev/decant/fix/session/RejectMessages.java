package dev.decant.fix.session;

import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.RejectReason;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionSettings;
import org.jspecify.annotations.Nullable;

/** Sends Reject(3) and BusinessMessageReject(j), as the version of the session has them. */
final class RejectMessages {
  /** Stands for "no reason", if the version or the case has none. */
  static final int NO_REASON = -1;
  /** Stands for "no RefTagID(371)". */
  static final int NO_TAG = Integer.MIN_VALUE;

  private static final int LARGEST_REASON_FIX42 = 11;
  private static final int LARGEST_REASON_FIX43 = 17;
  /** Routing fields of a message, each with the field that has its value in a response. */
  private static final int[][] REVERSED = {{Tag.ON_BEHALF_OF_COMP_ID, Tag.DELIVER_TO_COMP_ID},
      {Tag.ON_BEHALF_OF_SUB_ID, Tag.DELIVER_TO_SUB_ID}, {Tag.DELIVER_TO_COMP_ID, Tag.ON_BEHALF_OF_COMP_ID},
      {Tag.DELIVER_TO_SUB_ID, Tag.ON_BEHALF_OF_SUB_ID},
      {Tag.ON_BEHALF_OF_LOCATION_ID, Tag.DELIVER_TO_LOCATION_ID},
      {Tag.DELIVER_TO_LOCATION_ID, Tag.ON_BEHALF_OF_LOCATION_ID}};
  private static final int LOCATIONS_FROM = 4;
  private static final int MAX_COPIED_BYTES = 256;

  private final SessionProtocol session;
  private final String version;

  RejectMessages(SessionProtocol session, SessionSettings settings) {
    this.session = session;
    this.version = settings.id().beginString();
  }

  boolean hasBusinessReject() {
    return version.compareTo("FIX.4.2") >= 0;
  }

  /** Sends a Reject(3) for a message, which may be garbled. Returns false if the session has ended. */
  boolean reject(MessageView message, long number, int reason, int tag, @Nullable String text) {
    String words = text != null ? text : RejectReason.sessionText(reason);
    // Listeners are called first: a listener that sends a message would otherwise overwrite this one in the shared
    // memory.
    session.reporter().rejectSent(number, tag == NO_TAG ? words : words + ", field " + tag);
    FieldWriter out = session.out().beginAdmin();
    reverseRoute(message, out);
    out.integer(Tag.REF_SEQ_NUM, number);
    out.text(Tag.TEXT, tag == NO_TAG || hasBusinessReject() ? words : words + ", field=" + tag);
    if (hasBusinessReject()) {
      if (tag != NO_TAG) {
        out.integer(Tag.REF_TAG_ID, tag);
      }
      copy(message, Tag.MSG_TYPE, Tag.REF_MSG_TYPE, out);
      if (knowsReason(reason)) {
        out.integer(Tag.SESSION_REJECT_REASON, reason);
      }
    }
    return session.sendAdmin(MsgType.REJECT);
  }

  private boolean knowsReason(int reason) {
    return switch (version) {
      case "FIX.4.2" -> reason >= 0 && reason <= LARGEST_REASON_FIX42;
      case "FIX.4.3" -> reason >= 0 && reason <= LARGEST_REASON_FIX43;
      default -> reason >= 0;
    };
  }

  /** Sends a BusinessMessageReject(j). Returns false if the session has ended. */
  boolean rejectBusiness(MessageView message, long number, int reason, int tag, @Nullable String text) {
    String words = text != null ? text : RejectReason.businessText(reason);
    String shown = tag == NO_TAG ? words : words + ", field=" + tag;
    session.reporter().rejectSent(number, shown);
    FieldWriter out = session.out().beginAdmin();
    reverseRoute(message, out);
    out.integer(Tag.REF_SEQ_NUM, number);
    out.text(Tag.TEXT, shown);
    copy(message, Tag.MSG_TYPE, Tag.REF_MSG_TYPE, out);
    out.integer(Tag.BUSINESS_REJECT_REASON, reason);
    return session.sendKept(MsgType.BUSINESS_MESSAGE_REJECT);
  }

  private void reverseRoute(MessageView message, FieldWriter out) {
    int count = version.compareTo("FIX.4.1") >= 0 ? REVERSED.length : LOCATIONS_FROM;
    for (int i = 0; i < count; i++) {
      copy(message, REVERSED[i][0], REVERSED[i][1], out);
    }
  }

  /** Copies a value, unless it is empty or too long to be repeated. */
  private static void copy(MessageView message, int tag, int asTag, FieldWriter out) {
    int index = message.find(tag);
    if (index >= 0) {
      int length = message.valueTo(index) - message.valueFrom(index);
      if (length > 0 && length <= MAX_COPIED_BYTES) {
        out.bytes(asTag, message.buffer(), message.valueFrom(index), message.valueTo(index));
      }
    }
  }
}
