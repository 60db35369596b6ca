package dev.decant.lab.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A minimal NIO server: a few selector threads, the first of which accepts for all. */
final class SelectorServer implements LoopbackServer {
  private final ServerSocketChannel listener;
  private final Loop[] loops;
  private final long workSteps;
  /** Index of the loop that receives the next connection. The first loop's thread only. */
  private int next;

  private SelectorServer(ServerSocketChannel listener, int loops, long workSteps) throws IOException {
    this.listener = listener;
    this.workSteps = workSteps;
    this.loops = new Loop[loops];
    for (int i = 0; i < loops; i++) {
      this.loops[i] = new Loop(Selector.open());
    }
  }

  static SelectorServer start(int loops, long workSteps) throws IOException {
    ServerSocketChannel listener = ServerSocketChannel.open();
    listener.bind(LoopbackServer.anywhere(), BACKLOG);
    listener.configureBlocking(false);
    SelectorServer server = new SelectorServer(listener, loops, workSteps);
    listener.register(server.loops[0].selector, SelectionKey.OP_ACCEPT);
    for (int i = 0; i < loops; i++) {
      Thread.ofPlatform().name("selector-" + i).daemon(true).start(server.loops[i]::run);
    }
    return server;
  }

  @Override
  public int port() {
    return listener.socket().getLocalPort();
  }

  /** The connections of one thread. */
  private final class Loop {
    private final Selector selector;
    private final Queue<SocketChannel> accepted = new ConcurrentLinkedQueue<>();
    private final ByteBuffer response = ByteBuffer.allocateDirect(1024).put(LoopbackServer.response()).flip();

    Loop(Selector selector) {
      this.selector = selector;
    }

    void run() {
      try {
        while (true) {
          selector.select(this::ready);
          for (SocketChannel channel = accepted.poll(); channel != null; channel = accepted.poll()) {
            RequestScanner requests = new RequestScanner(ByteBuffer.allocateDirect(RequestScanner.CAPACITY));
            channel.register(selector, SelectionKey.OP_READ, requests);
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException("a selector failed", e);
      }
    }

    private void ready(SelectionKey key) {
      if (key.isAcceptable()) {
        accept();
      } else {
        serve(key, (SocketChannel) key.channel());
      }
    }

    private void accept() {
      try {
        for (SocketChannel channel = listener.accept(); channel != null; channel = listener.accept()) {
          channel.configureBlocking(false);
          channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
          Loop owner = loops[next++ % loops.length];
          owner.accepted.add(channel);
          owner.selector.wakeup();
        }
      } catch (IOException e) {
        throw new UncheckedIOException("no further connections are accepted", e);
      }
    }

    private void serve(SelectionKey key, SocketChannel channel) {
      try {
        RequestScanner requests = (RequestScanner) key.attachment();
        if (channel.read(requests.buffer()) < 0) {
          channel.close();
          return;
        }
        while (requests.next()) {
          if (requests.asksForWork()) {
            Computation.run(workSteps);
          }
          // a client that waits for each response leaves room for it in the socket's buffer
          channel.write(response.rewind());
        }
      } catch (IOException e) {
        key.cancel(); // the peer has closed the connection, which is how a run ends
      }
    }
  }
}
