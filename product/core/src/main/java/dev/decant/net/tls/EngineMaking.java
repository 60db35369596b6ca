package dev.decant.net.tls;

import java.io.IOException;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * Makes the engine of one connection on a virtual thread, because the user's factory makes it and may block.
 *
 * <p>Owner of the loop only, but for the making itself.
 */
final class EngineMaking {
  private final Supplier<SSLEngine> maker;
  private final String peer;
  private boolean begun;
  /** The engine or the failure. Written by the thread that makes the engine, before it signals the loop. */
  private volatile @Nullable SSLEngine made;
  private volatile @Nullable Throwable failure;

  EngineMaking(Supplier<SSLEngine> maker, String peer) {
    this.maker = maker;
    this.peer = peer;
  }

  /**
   * Returns the engine, or begins to make it.
   *
   * @param whenDone runs on another thread
   * @return null if the engine is not made yet
   * @throws IOException if the engine cannot be made; the next connection tries again
   */
  @Nullable
  SSLEngine engineOrWait(Runnable whenDone) throws IOException {
    Throwable thrown = failure;
    if (thrown != null) {
      throw new IOException("the TLS engine for " + peer + " could not be made: " + thrown, thrown);
    }
    if (!begun) {
      begun = true;
      Thread.ofVirtual().name("tls-engine").start(() -> make(whenDone));
    }
    return made;
  }

  private void make(Runnable whenDone) {
    try {
      SSLEngine engine = maker.get();
      if (engine == null) {
        throw new IllegalStateException("the factory returned null");
      }
      made = engine;
    } catch (Throwable e) { // any failure of the factory fails this connection only
      failure = e;
    }
    whenDone.run();
  }
}
