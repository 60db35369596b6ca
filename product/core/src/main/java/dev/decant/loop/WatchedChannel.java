package dev.decant.loop;

import java.io.IOException;
import java.nio.channels.SelectionKey;

/** A channel that an {@link EventLoop} watches, and for what. Owner of the loop only. */
public final class WatchedChannel {
  final ReadyListener listener;
  /** Place in the list of the {@link Poller}, kept by it. */
  int index;

  private final EventLoop loop;
  private final SelectionKey key;
  private int interest;

  WatchedChannel(EventLoop loop, SelectionKey key, ReadyListener listener) {
    this.loop = loop;
    this.key = key;
    this.listener = listener;
    this.interest = key.interestOps();
  }

  /**
   * Begins or ends watching for an operation.
   *
   * @param operation of {@link SelectionKey}
   * @param wanted whether the listener is to be called when the channel is ready for it
   */
  public void want(int operation, boolean wanted) {
    int after = wanted ? interest | operation : interest & ~operation;
    if (after != interest && key.isValid()) {
      interest = after;
      key.interestOps(after);
      loop.channelsChanged();
    }
  }

  /** Closes the channel; does nothing the second time. */
  public void close() {
    try {
      key.channel().close();
    } catch (IOException e) {
      // The descriptor is released all the same, and nobody waits for these bytes any more.
    }
    loop.unwatch(this);
  }

  boolean wantsRead() {
    return (interest & SelectionKey.OP_READ) != 0;
  }
}
