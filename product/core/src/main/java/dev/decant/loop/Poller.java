package dev.decant.loop;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Finds the channels that are ready, and calls their listeners. A thread that sleeps, or polls once, uses a selector. A
 * spinning thread reads a few channels directly, which takes one system call per channel instead of two: the call that
 * finds arrived bytes also reads them.
 *
 * <p>The JDK's epoll selector boxes descriptors above 127: 16 bytes per ready channel and round, in a process with many
 * open files. {@code -XX:AutoBoxCacheMax=1024} prevents it.
 *
 * <p>Owner of the loop only, but for {@link #wakeup}.
 */
final class Poller {
  /**
   * Most channels that a spinning thread reads directly. With more, the selector finds the ready one at a lower cost.
   */
  static final int MAX_READ_DIRECTLY = 4;
  /**
   * A spinning thread polls the selector in one of this many polls, because only the selector reports accepts, connects
   * and writable channels.
   */
  private static final int POLLS_PER_SELECT = 16;

  private final EventLoop loop;
  private final Selector selector;
  private final Consumer<SelectionKey> onReady = this::dispatch;
  private final List<WatchedChannel> watched = new ArrayList<>();
  private int polls;
  /** Sum of the work that listeners reported in the current call. */
  private int work;

  Poller(EventLoop loop) throws IOException {
    this.loop = loop;
    this.selector = Selector.open();
  }

  WatchedChannel watch(SelectableChannel channel, int operations, ReadyListener listener) throws IOException {
    SelectionKey key = channel.register(selector, operations);
    WatchedChannel added = new WatchedChannel(loop, key, listener);
    key.attach(added);
    added.index = watched.size();
    watched.add(added);
    return added;
  }

  @SuppressWarnings("ReferenceEquality") // the very channel
  void unwatch(WatchedChannel removed) {
    int index = removed.index;
    if (index < watched.size() && watched.get(index) == removed) {
      WatchedChannel last = watched.removeLast();
      if (last != removed) {
        watched.set(index, last);
        last.index = index;
      }
    }
  }

  /** Ends a sleeping {@link #select}. Any thread. */
  void wakeup() {
    selector.wakeup();
  }

  /** Sleeps until a channel is ready; returns the work that the listeners reported. */
  int select(long timeoutMillis) throws IOException {
    work = 0;
    selector.select(onReady, timeoutMillis);
    return work;
  }

  int selectNow() throws IOException {
    work = 0;
    selector.selectNow(onReady);
    return work;
  }

  /** Polls once for a thread that spins. */
  int spinOnce() throws IOException {
    if (watched.size() > MAX_READ_DIRECTLY || ++polls % POLLS_PER_SELECT == 0) {
      return selectNow();
    }
    work = 0;
    for (int i = watched.size() - 1; i >= 0; i--) {
      // The index is checked again: a listener may have closed channels.
      if (i < watched.size() && watched.get(i).wantsRead()) {
        call(watched.get(i), SelectionKey.OP_READ);
      }
    }
    return work;
  }

  private void dispatch(SelectionKey key) {
    loop.awake();
    if (key.isValid()) {
      call((WatchedChannel) key.attachment(), key.readyOps());
    }
  }

  // Channels belong to many users and run on the thread of any of them. A failure is logged, affects no other user, and
  // is never thrown at the thread that drives.
  private void call(WatchedChannel channel, int operations) {
    try {
      work += channel.listener.onReady(operations);
    } catch (Throwable e) {
      EventLoop.logFailure("a connection of the event loop failed", e);
    }
  }

  /**
   * Closes the selector and all channels that are still watched. No thread would serve them any more, and a connection
   * between two loops once stayed open for that reason.
   */
  void close() throws IOException {
    List<SelectionKey> left = selector.isOpen() ? List.copyOf(selector.keys()) : List.of();
    selector.close();
    for (SelectionKey key : left) {
      try {
        key.channel().close();
      } catch (IOException e) {
        // The descriptor is released even if close throws.
      }
    }
  }
}
