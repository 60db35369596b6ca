package dev.decant.fix.session;

import dev.decant.fix.message.DataFields;
import dev.decant.fix.message.MessageView;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Tells the log and the application of each message that goes to the socket, in the order of the socket, with its
 * number and before a response can come. Owner of the session only.
 */
final class Departure {
  private final OutboundMessages out;
  private final SessionReporter reporter;
  private final Callbacks callbacks;
  private final OutputCounters counters;
  private DataFields dataFields;
  /** For an application that looks at what is sent; null until then, and after a change of the data fields. */
  private @Nullable MessageView view;

  Departure(OutboundMessages out, SessionReporter reporter, Callbacks callbacks, DataFields dataFields) {
    this.dataFields = dataFields;
    this.out = out;
    this.counters = out.counters();
    this.reporter = reporter;
    this.callbacks = callbacks;
  }

  /** Another dictionary counts from now on. */
  void dataFields(DataFields value) {
    dataFields = value;
    view = null;
  }

  /** Counts the messages between position and limit, which go to the socket next, and tells of each. */
  void tell(ByteBuffer slice) {
    boolean isWanted = callbacks.wantsSent();
    boolean isTold = isWanted || reporter.isLogged();
    int messages = 0;
    int at = slice.position();
    while (at < slice.limit()) {
      int end = at + out.bytesOfMessage(slice, at);
      if (isTold) {
        tell(slice, at, end, isWanted);
      }
      messages++;
      at = end;
    }
    counters.taken(messages, slice.remaining());
  }

  private void tell(ByteBuffer slice, int from, int to, boolean isWanted) {
    reporter.outbound(slice, from, to);
    if (isWanted) {
      tellUser(slice, from, to);
    }
  }

  private void tellUser(ByteBuffer slice, int from, int to) {
    MessageView message = view;
    if (message == null) {
      message = new MessageView(dataFields);
      view = message;
    }
    if (message.parse(slice, from, to, false) == MessageView.OK) {
      callbacks.onSent(message);
    }
  }

  /** The socket has taken them. */
  void written() {
    counters.sliceWritten();
  }

  /** With the session's lock: nothing goes to the socket any more. */
  void clear() {
    counters.clear();
  }
}
