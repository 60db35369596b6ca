package dev.decant.fix.session;

import dev.decant.fix.message.DataFields;
import dev.decant.fix.message.MessageView;
import java.nio.ByteBuffer;

/**
 * Tells the log and the application of each message that goes to the socket, in the order of the socket, with its
 * number and before a response can come. Owner of the session only.
 */
final class Departure {
  private final OutboundMessages out;
  private final SessionReporter reporter;
  private final Callbacks callbacks;
  private final MessageView view;

  Departure(OutboundMessages out, SessionReporter reporter, Callbacks callbacks, DataFields dataFields) {
    this.view = new MessageView(dataFields);
    this.out = out;
    this.reporter = reporter;
    this.callbacks = callbacks;
  }

  /** The messages between position and limit go to the socket next. */
  void tell(ByteBuffer slice) {
    boolean isWanted = callbacks.wantsSent();
    if (!isWanted && !reporter.isLogged()) {
      return;
    }
    int at = slice.position();
    while (at < slice.limit()) {
      int end = at + out.bytesOfMessage(slice, at);
      reporter.outbound(slice, at, end);
      if (isWanted && view.parse(slice, at, end, false) == MessageView.OK) {
        callbacks.onSent(view);
      }
      at = end;
    }
  }
}
