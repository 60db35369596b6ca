package dev.decant.net.tls;

import dev.decant.net.Transport;
import dev.decant.tls.TlsException;
import dev.decant.tls.TlsException.Kind;
import dev.decant.tls.TlsException.Stage;
import java.io.IOException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * The handshake of a connection, driven by readiness. The stream is watched only for the operation that the handshake
 * waits for. Otherwise the loop would report arrived bytes again and again while tasks run on another thread.
 *
 * <p>Owner of the loop only, but for the tasks.
 */
final class Handshake {
  /** Most records of one handshake. A handshake takes a few records, so this many are an attack. */
  private static final int MOST_RECORDS = 1_000;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final SSLEngine engine;
  private final Transport below;
  private final RecordInput input;
  private final RecordOutput output;
  private final String peer;
  private final Runnable whenTasksAreDone;
  private boolean begun;
  /** True while another thread works for the engine, which the owner must not use meanwhile. */
  private boolean tasksRun;
  /** The failure of a task. Written by the task's thread before it signals the loop. */
  private volatile @Nullable Throwable taskFailure;
  private int records;
  private boolean suiteIsAgreed;
  private boolean certificateWasSent;

  Handshake(SSLEngine engine, Transport below, RecordInput input, RecordOutput output, String peer,
      Runnable whenTasksAreDone) {
    this.engine = engine;
    this.below = below;
    this.input = input;
    this.output = output;
    this.peer = peer;
    this.whenTasksAreDone = whenTasksAreDone;
  }

  /** Returns true if version and cipher suite are agreed. A later failure then has another reason. */
  boolean suiteIsAgreed() {
    return suiteIsAgreed;
  }

  /** Returns true if this side has chosen a certificate to send. */
  boolean certificateWasSent() {
    return certificateWasSent;
  }

  boolean tasksRun() {
    return tasksRun;
  }

  /** Describes what the handshake waits for. The error of its timeout says so. */
  String progress() {
    return tasksRun
        ? "checks of keys and certificates take that long"
        : "the peer has sent " + input.bytesRead() + " bytes of it";
  }

  /** Continues as far as possible now. Returns true when the handshake is done, apart from output that waits. */
  boolean advance() throws IOException {
    if (!begun) {
      begun = true;
      runElsewhere(engine::beginHandshake); // on another thread, because a client computes its keys here
    }
    while (!tasksRun) {
      requireNoTaskFailure();
      noteProgress();
      HandshakeStatus status = engine.getHandshakeStatus();
      if (status == HandshakeStatus.NEED_WRAP) {
        output.noteEngineWaits();
        if (!output.takeFromEngine()) {
          return await(false, true);
        }
      } else if (status == HandshakeStatus.NEED_TASK) {
        runElsewhere(this::runTasks);
      } else {
        // Output that cannot leave now must not stop the handshake: the peer may be writing, too, and read nothing
        // until it is done.
        boolean written = output.drain() && below.flush();
        if (status == HandshakeStatus.NOT_HANDSHAKING || status == HandshakeStatus.FINISHED) {
          return true;
        }
        if (!readRecord()) {
          return await(true, !written);
        }
      }
    }
    return await(false, false);
  }

  /** Notes version and certificate, because the engine drops its handshake session when it fails. */
  private void noteProgress() {
    SSLSession session;
    try {
      session = engine.getHandshakeSession();
    } catch (UnsupportedOperationException e) {
      return; // a user's engine may have no such session; its failures are reported with less detail
    }
    suiteIsAgreed |= session != null;
    certificateWasSent |= session != null && session.getLocalCertificates() != null;
  }

  private boolean await(boolean readable, boolean writable) {
    below.reportReadable(readable);
    below.reportWritable(writable);
    return false;
  }

  private boolean readRecord() throws IOException {
    while (!input.hasRecord()) {
      if (input.hasEnded()) {
        throw new TlsException(Kind.TRUNCATED, Stage.HANDSHAKE, peer,
            "the peer closed the connection before it was done",
            null);
      }
      int read = input.fill();
      if (read == 0) {
        return false;
      }
      if (read < 0) {
        throw new TlsException(Kind.TRUNCATED, Stage.HANDSHAKE, peer, input.bytesRead() == 0
            ? "the peer closed the connection without a word; it may not speak TLS on this port"
            : "the peer closed the connection in the middle of it", null);
      }
      input.requireRecordHeader(Stage.HANDSHAKE);
    }
    if (++records > MOST_RECORDS) {
      throw new TlsException(Kind.PROTOCOL, Stage.HANDSHAKE, peer, "the peer sent " + records
          + " records and is not done", null);
    }
    input.decrypt(NOTHING);
    input.requireRecordHeader(Stage.HANDSHAKE);
    return true;
  }

  /** Work of the engine that takes milliseconds. */
  private interface Work {
    void run() throws SSLException;
  }

  private void runElsewhere(Work work) {
    tasksRun = true;
    Thread.ofVirtual().name("tls-task").start(() -> {
      try {
        work.run();
      } catch (Throwable e) { // any failure of the engine fails this connection only
        taskFailure = e;
      }
      whenTasksAreDone.run();
    });
  }

  private void runTasks() {
    Runnable task;
    while ((task = engine.getDelegatedTask()) != null) {
      task.run();
    }
  }

  void tasksAreDone() {
    tasksRun = false;
  }

  private void requireNoTaskFailure() throws IOException {
    Throwable e = taskFailure;
    if (e instanceof SSLException ssl) {
      throw ssl;
    }
    if (e != null) {
      throw new TlsException(Kind.PROTOCOL, Stage.HANDSHAKE, peer, "a task of the handshake failed: " + e, e);
    }
  }
}
