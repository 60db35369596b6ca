package dev.decant.loop;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Finds the channels that are ready, and calls their listeners. A thread that sleeps or looks once does so with a
 * selector. A spinning thread reads a few channels directly: one system call per channel in place of two. The call that
 * finds arrived bytes also reads them.
 *
 * <p>The JDK's epoll selector boxes descriptors above 127: 16 bytes per ready channel and round, in a process with many
 * open files. {@code -XX:AutoBoxCacheMax=1024} prevents it.
 *
 * <p>Owner of the loop only, but for {@link #wakeup}.
 */
final class Poller {
  /** With more channels than this the selector is the cheaper way to find the one that is ready. */
  static final int MAX_READ_DIRECTLY = 4;
  /** Of so many looks of a spinning thread one goes to the selector, which knows of accepts, connects and writes. */
  private static final int LOOKS_PER_SELECT = 16;

  private final EventLoop loop;
  private final Selector selector;
  private final Consumer<SelectionKey> onReady = this::dispatch;
  private final List<WatchedChannel> watched = new ArrayList<>();
  private int looks;
  /** What the listeners have done in the present call. */
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

  /** Ends a {@link #select} that sleeps. Any thread. */
  void wakeup() {
    selector.wakeup();
  }

  /** Sleeps until a channel is ready; returns what the listeners have done. */
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

  /** One look of a thread that spins. */
  int spinOnce() throws IOException {
    if (watched.size() > MAX_READ_DIRECTLY || ++looks % LOOKS_PER_SELECT == 0) {
      return selectNow();
    }
    work = 0;
    for (int i = watched.size() - 1; i >= 0; i--) {
      if (i < watched.size() && watched.get(i).wantsRead()) { // a listener may close channels
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

  // Channels belong to many users and run on the thread of any of them. A failure is logged, harms no other user, and
  // is never thrown at the driving thread.
  private void call(WatchedChannel channel, int operations) {
    try {
      work += channel.listener.onReady(operations);
    } catch (Throwable e) {
      EventLoop.logFailure("a connection of the event loop failed", e);
    }
  }

  /** Closes the selector, and all channels that are still watched: nobody would hear of them any more. */
  void close() throws IOException {
    List<SelectionKey> left = selector.isOpen() ? List.copyOf(selector.keys()) : List.of();
    selector.close();
    for (SelectionKey key : left) {
      try {
        key.channel().close();
      } catch (IOException e) {
        // the descriptor is released all the same
      }
    }
  }
}
