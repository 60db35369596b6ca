package dev.decant.fix.quickfix.store;

import dev.decant.fix.message.FieldException;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.Tag;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The number and time of a message, which QuickFIX/J's stores do not keep beside it.
 *
 * @param number MsgSeqNum(34)
 * @param epochNanos SendingTime(52), in nanoseconds since the epoch
 */
public record StoredMessage(long number, long epochNanos) {
  /**
   * Reads both values from a message.
   *
   * @param bytes the message, from index 0 to its limit
   * @return null if one is missing, so that the message cannot be resent
   */
  public static @Nullable StoredMessage of(ByteBuffer bytes) {
    MessageView view = new MessageView();
    int problem = view.parse(bytes, 0, bytes.limit(), false);
    if (problem != MessageView.OK && problem != MessageView.BAD_FIELD) {
      return null;
    }
    try {
      return new StoredMessage(view.integer(Tag.MSG_SEQ_NUM), view.timestamp(Tag.SENDING_TIME));
    } catch (FieldException e) {
      return null;
    }
  }
}
