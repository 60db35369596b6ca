package dev.decant.loop;

import java.io.IOException;
import java.nio.channels.SelectionKey;

/** A channel that an {@link EventLoop} watches, and for what. Owner of the loop only. */
public final class WatchedChannel {
  /** Called when the channel is ready; changed by {@link #handOver}. */
  ReadyListener listener;
  /** Place in the list of the {@link Poller}, kept by it. */
  int index;

  private final EventLoop loop;
  private final SelectionKey key;
  private int interest;
  private boolean paused;
  private boolean leftToSelector;

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
      apply();
    }
  }

  private void apply() {
    key.interestOps(paused ? 0 : interest);
    loop.channelsChanged();
  }

  /**
   * Stops all reports, or resumes those that are wanted.
   *
   * @param value true to stop
   */
  public void pause(boolean value) {
    if (paused != value && key.isValid()) {
      paused = value;
      apply();
    }
  }

  /**
   * Has a spinning thread leave this channel to the selector, until {@link #handOver}. A report is then never a guess.
   */
  public void leaveToSelector() {
    leftToSelector = true;
  }

  /**
   * Has another listener called from now on. Reports resume if they were paused.
   *
   * @param successor called when the channel is ready
   */
  public void handOver(ReadyListener successor) {
    listener = successor;
    leftToSelector = false;
    pause(false);
  }

  /**
   * Ends the watching and leaves the channel open, for another loop to watch. The descriptor leaves the selector at the
   * loop's next look at the network.
   */
  public void release() {
    key.cancel();
    loop.unwatch(this);
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
    return (interest & SelectionKey.OP_READ) != 0 && !paused && !leftToSelector;
  }
}
