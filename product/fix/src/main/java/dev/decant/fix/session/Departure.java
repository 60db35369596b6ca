package dev.decant.fix.session;

import dev.decant.fix.message.DataFields;
import dev.decant.fix.message.MessageView;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reports each message that goes to the socket to the log and the application. Reports have the order of the socket and
 * the final number, and precede any response. Owner of the session only.
 */
final class Departure {
  private final OutboundMessages out;
  private final SessionReporter reporter;
  private final Callbacks callbacks;
  private final OutputCounters counters;
  /** The data fields of the messages that are shown. */
  private DataFields dataFields;
  /**
   * Parses messages for an application that implements {@code onMessageSent}. Null before the first one, and after a
   * change of the data fields.
   */
  private @Nullable MessageView view;

  Departure(OutboundMessages out, SessionReporter reporter, Callbacks callbacks, DataFields dataFields) {
    this.dataFields = dataFields;
    this.out = out;
    this.counters = out.counters();
    this.reporter = reporter;
    this.callbacks = callbacks;
  }

  /** Parses messages by these data fields from now on. */
  void dataFields(DataFields value) {
    dataFields = value;
    view = null;
  }

  /** Counts and reports the messages between position and limit, which go to the socket next. */
  void report(ByteBuffer slice) {
    boolean isWanted = callbacks.wantsSent();
    boolean isReported = isWanted || reporter.isLogged();
    int messages = 0;
    int at = slice.position();
    while (at < slice.limit()) {
      int end = at + out.bytesOfMessage(slice, at);
      if (isReported) {
        report(slice, at, end, isWanted);
      }
      messages++;
      at = end;
    }
    counters.taken(messages, slice.remaining());
  }

  private void report(ByteBuffer slice, int from, int to, boolean isWanted) {
    reporter.outbound(slice, from, to);
    if (isWanted) {
      showUser(slice, from, to);
    }
  }

  private void showUser(ByteBuffer slice, int from, int to) {
    MessageView message = view;
    if (message == null) {
      message = new MessageView(dataFields);
      view = message;
    }
    if (message.parse(slice, from, to, false) == MessageView.OK) {
      callbacks.onSent(message);
    }
  }

  /** Counts the reported slice as written. */
  void written() {
    counters.sliceWritten();
  }

  /** Resets the counters when no message goes to the socket any longer. Requires the session's lock. */
  void clear() {
    counters.clear();
  }
}
