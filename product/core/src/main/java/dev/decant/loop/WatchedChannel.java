package dev.decant.loop;

import java.io.IOException;
import java.nio.channels.SelectionKey;

/** A channel that an {@link EventLoop} watches, with the operations it is watched for. Owner of the loop only. */
public final class WatchedChannel {
  /** Called when the channel is ready; changed by {@link #handOver}. */
  ReadyListener listener;
  /** Index in the list of the {@link Poller}. Written by the poller only. */
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
   * @param wanted true to call the listener when the channel is ready for the operation
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
   * Excludes this channel from the direct reads of a spinning thread, until {@link #handOver}. Each report then means
   * that the channel is ready.
   */
  public void leaveToSelector() {
    leftToSelector = true;
  }

  /**
   * Replaces the listener, and resumes reports if they were paused.
   *
   * @param successor called when the channel is ready from now on
   */
  public void handOver(ReadyListener successor) {
    listener = successor;
    leftToSelector = false;
    pause(false);
  }

  /**
   * Ends the watching and leaves the channel open, for another loop to watch. The descriptor leaves the selector when
   * the loop next polls the network.
   */
  public void release() {
    key.cancel();
    loop.unwatch(this);
  }

  /** Closes the channel. Closing it again has no effect. */
  public void close() {
    try {
      key.channel().close();
    } catch (IOException e) {
      // The descriptor is released even if close throws, and no code waits for these bytes any more.
    }
    loop.unwatch(this);
  }

  boolean wantsRead() {
    return (interest & SelectionKey.OP_READ) != 0 && !paused && !leftToSelector;
  }
}
