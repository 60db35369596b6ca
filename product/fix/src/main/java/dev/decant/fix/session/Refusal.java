package dev.decant.fix.session;

import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionId;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Builds the Logout(5) for a counterparty whose Logon(A) is refused before it has a session. As in a session's own
 * refusal, the Logout repeats the last number, here 0, as a possible duplicate. So no number changes at either end. All
 * Logouts are built in the same memory, so strangers cause no allocation of direct memory. One thread.
 */
public final class Refusal {
  private static final int TEXT_BYTES = 512;
  private static final int MILLISECONDS = 3;

  private final ByteBuffer message;
  private final ByteBuffer body = ByteBuffer.allocate(TEXT_BYTES);
  private final FieldWriter fields = new FieldWriter();

  /**
   * Allocates the memory.
   *
   * @param maxLogonBytes limit of the names that a counterparty can have sent
   */
  public Refusal(int maxLogonBytes) {
    message = ByteBuffer.allocateDirect(maxLogonBytes + 2 * TEXT_BYTES);
  }

  /**
   * Builds the message.
   *
   * @param id the two ends; the sender is this one
   * @param reason Text(58); characters that cannot be sent are replaced
   * @param epochNanos SendingTime(52), in nanoseconds since the epoch
   * @return the message, valid until the next call; null if the names are too long
   */
  public @Nullable ByteBuffer logout(SessionId id, String reason, long epochNanos) {
    fields.wrap(body, 0, body.capacity()).text(Tag.TEXT, SessionText.shown(reason));
    MessageEncoder encoder = new MessageEncoder(id, MILLISECONDS, false);
    if (encoder.maxBytes(fields.position()) > message.capacity()) {
      return null;
    }
    int bytes = encoder.begin(MsgType.LOGOUT, 0, epochNanos, epochNanos, 0)
        .encode(message, 0, body, 0, fields.position());
    return message.slice(0, bytes);
  }
}
