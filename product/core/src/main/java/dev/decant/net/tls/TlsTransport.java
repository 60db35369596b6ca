package dev.decant.net.tls;

import dev.decant.buffer.PooledBuffer;
import dev.decant.loop.EventLoop;
import dev.decant.loop.ReadyListener;
import dev.decant.loop.Timer;
import dev.decant.net.SocketTransport;
import dev.decant.net.Transport;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsException;
import dev.decant.tls.TlsException.Kind;
import dev.decant.tls.TlsException.Stage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * TLS 1.3 or 1.2 over another transport, as a client or as a server.
 *
 * <p>{@link #establish()} runs the handshake, within the time of the settings. The engine's long tasks (keys,
 * signatures, checks of certificates) run on virtual threads. The loop serves other connections meanwhile. A failure is
 * a {@link TlsException}. The peer gets an alert before, if the stream accepts that at once. A failure of the transport
 * below (a connection that is refused or reset) is thrown unchanged.
 *
 * <p>{@link #read} returns -1 after the peer's close_notify. A stream that ends without one was truncated, and the read
 * fails. {@link #shutdownOutput()} sends our close_notify. {@link #close()} sends it, too, if all output has left. With
 * TLS 1.2 no bytes can be written after the peer's close_notify (RFC 5246, section 7.2.1).
 *
 * <p>Renegotiation (TLS 1.2) ends the connection. Key updates (TLS 1.3) need no action of the user.
 *
 * <p>Owner of the loop only.
 */
public final class TlsTransport implements Transport {
  private static final int INPUT_BYTES = 20 * 1024;
  private static final int OUTPUT_BYTES = TlsMemory.CONNECTION_BYTES - 2 * INPUT_BYTES;
  /**
   * Most records without data that a peer may send in a row: key updates, tickets, empty records. They are counted
   * across reads, because a flood in small pieces was not noticed otherwise.
   */
  private static final int MOST_RECORDS_WITHOUT_DATA = 64;
  /** Most slices per write. This number of slices fills a record if each has 16 bytes, and most are larger. */
  private static final int MOST_GATHERED = 1_024;
  private static final int MOST_READS_AFTER_FAILURE = 16;
  private static final String TLS_1_2 = "TLSv1.2";

  private enum State {
    CONNECTING, AWAITING_ENGINE, AWAITING_MEMORY, HANDSHAKING, ESTABLISHED, FAILED, CLOSED
  }

  private final TlsContext context;
  private final Transport below;
  private final String peer;
  /** The TLS memory of the stream's loop. */
  private TlsMemory memory;
  /** The generation of the keys that the engine was made with. */
  private final int generation;
  /** Null until the user's factory has made it. */
  private @Nullable SSLEngine engine;
  /** Null if the engine exists from the beginning. */
  private final @Nullable EngineMaking making;
  /** False while a peer that connected to us is not authenticated: it gets no memory beyond that of its connection. */
  private boolean mayBurst;
  private final Timer deadline = new Timer(this::onDeadline);
  private final Timer readAgain = new Timer(() -> report(SelectionKey.OP_READ));

  private State state = State.CONNECTING;
  private @Nullable EventLoop loop;
  private @Nullable ReadyListener listener;
  private @Nullable PooledBuffer lease;
  private @Nullable RecordInput input;
  private @Nullable RecordOutput output;
  private @Nullable Handshake handshake;
  private @Nullable TlsException failure;

  private int recordsWithoutData;
  private boolean readerWants = true;
  private boolean writerWants;
  /** True while records of the engine's own wait for the stream to take them. */
  private boolean engineWants;
  /** True while reading waits because the engine's output did not fit. */
  private boolean readWaitsForOutput;
  /** True while bytes were taken that have not all left. */
  private boolean outputPends;
  private boolean outputIsShut;
  private boolean endIsSentBelow;

  private TlsTransport(TlsContext context, Transport below, Supplier<SSLEngine> maker, String peer,
      TlsMemory memory) {
    this.context = context;
    this.below = below;
    // Read before the engine: a replacement in between makes the keys seem older, never newer.
    this.generation = context.generation();
    boolean mayBlock = context.engineCreationMayBlock();
    this.engine = mayBlock ? null : maker.get();
    this.making = mayBlock ? new EngineMaking(maker, peer) : null;
    this.peer = peer;
    this.memory = memory;
  }

  /**
   * Makes the client's side. A session with the same host and port is resumed if the context has one.
   *
   * @param context keys, trust and settings
   * @param below connects to the peer
   * @param host name or address of the peer, for the check of its certificate and for SNI
   * @param port of the peer
   */
  public static TlsTransport client(TlsContext context, Transport below, String host, int port, TlsMemory memory) {
    TlsTransport made = new TlsTransport(context, below, () -> context.clientEngine(host, port), host + ":" + port,
        memory);
    made.mayBurst = true;
    return made;
  }

  /**
   * Makes the server's side.
   *
   * @param context keys, trust and settings
   * @param below the accepted stream
   * @param peer name of the client for errors
   */
  public static TlsTransport server(TlsContext context, Transport below, String peer, TlsMemory memory) {
    return new TlsTransport(context, below, context::serverEngine, peer, memory);
  }

  /**
   * Makes the server's side of a connection that an {@link dev.decant.net.Acceptor} has accepted.
   *
   * @param context keys, trust and settings
   */
  public static TlsTransport server(TlsContext context, SocketTransport accepted, TlsMemory memory) {
    String peer = "a client";
    try {
      InetSocketAddress address = accepted.remoteAddress();
      peer = address == null ? peer : address.getAddress().getHostAddress() + ":" + address.getPort();
    } catch (IOException e) {
      // The peer has closed it already; the handshake will fail with that.
    }
    return server(context, accepted, peer, memory);
  }

  @Override
  public void register(EventLoop ownLoop, ReadyListener user) throws IOException {
    loop = ownLoop;
    listener = user;
    below.register(ownLoop, user);
    if (state == State.ESTABLISHED) {
      updateWritable();
      below.reportReadable(readerWants);
    }
  }

  /**
   * Leaves the loop like {@link Transport#leaveLoop()}, after the handshake and before {@link #authenticated()}. Until
   * then the stream has only the memory of its connection, which it keeps. A call of {@link #memory} follows.
   */
  @Override
  public void leaveLoop() {
    if (state != State.ESTABLISHED || mayBurst) {
      throw new IllegalStateException("a stream that is " + state + " stays on its loop");
    }
    requireLoop().cancel(readAgain);
    loop = null;
    listener = null;
    below.leaveLoop();
  }

  /** Sets the TLS memory of the new loop, after {@link #leaveLoop()}. */
  public void memory(TlsMemory ofLoop) {
    memory = ofLoop;
    requireInput().memory(ofLoop);
    requireOutput().memory(ofLoop);
  }

  @Override
  public boolean establish() throws IOException {
    if (failure != null) {
      throw failure;
    }
    if (state == State.ESTABLISHED) { // the stream comes from another loop
      return true;
    }
    if (state == State.CONNECTING) {
      if (!below.establish()) {
        return false;
      }
      state = State.AWAITING_ENGINE;
      requireLoop().schedule(deadline, requireLoop().nowNanos() + context.settings().handshakeTimeout().toNanos());
    }
    if (state == State.AWAITING_ENGINE && !awaitEngine()) {
      return false;
    }
    try {
      if (state == State.AWAITING_MEMORY && !begin()) {
        return false;
      }
      if (state != State.HANDSHAKING || handshake == null || !handshake.advance()) {
        return false;
      }
    } catch (SSLException e) {
      throw fail(e, Stage.HANDSHAKE);
    }
    becomeEstablished();
    return true;
  }

  /** Holds the peer back while the engine is made. */
  private boolean awaitEngine() throws IOException {
    if (engine == null && making != null) {
      engine = making.engineOrWait(this::engineIsMade);
      if (engine == null) {
        below.reportReadable(false);
        below.reportWritable(false);
        return false;
      }
    }
    state = State.AWAITING_MEMORY;
    return true;
  }

  /** Signals the loop. Called on the thread that made the engine. */
  private void engineIsMade() {
    requireLoop().execute(() -> {
      if (state == State.AWAITING_ENGINE) {
        reportInTurn();
      }
    });
  }

  /** Takes memory; without it the peer is held back. */
  private boolean begin() {
    SSLEngine made = requireEngine();
    PooledBuffer leased = memory.leaseOrWait(this);
    if (leased == null) {
      below.reportReadable(false);
      return false;
    }
    lease = leased;
    ByteBuffer all = leased.buffer();
    input = new RecordInput(made, below, memory, peer, all.slice(0, INPUT_BYTES),
        all.slice(INPUT_BYTES, INPUT_BYTES));
    output = new RecordOutput(made, below, memory, all.slice(2 * INPUT_BYTES, OUTPUT_BYTES));
    handshake = new Handshake(made, below, input, output, peer, this::tasksAreDone);
    state = State.HANDSHAKING;
    if (mayBurst) {
      allowBursts(input, output);
    }
    return true;
  }

  private static void allowBursts(RecordInput in, RecordOutput out) {
    in.allowBursts();
    out.allowBursts();
  }

  /** Allows this connection to take burst memory from now on. */
  @Override
  public void authenticated() {
    mayBurst = true;
    RecordInput in = input;
    RecordOutput out = output;
    if (in != null && out != null) {
      allowBursts(in, out);
    }
    below.authenticated();
  }

  private void becomeEstablished() {
    state = State.ESTABLISHED;
    handshake = null;
    requireLoop().cancel(deadline);
    engineWants = !requireOutput().isEmpty();
    updateWritable();
    below.reportReadable(readerWants);
  }

  void memoryAvailable() {
    if (state == State.AWAITING_MEMORY) {
      reportInTurn();
    }
  }

  /** Signals the loop. Called on the thread that ran the engine's tasks. */
  private void tasksAreDone() {
    requireLoop().execute(() -> {
      Handshake h = handshake;
      if (h != null && state == State.HANDSHAKING) {
        h.tasksAreDone();
        reportInTurn();
      }
    });
  }

  private void onDeadline() {
    if (state == State.AWAITING_ENGINE || state == State.AWAITING_MEMORY || state == State.HANDSHAKING) {
      Handshake h = handshake;
      String progress = h != null
          ? h.progress()
          : state == State.AWAITING_ENGINE
              ? "the factory of engines takes that long"
              : "there was no memory for it in the " + memory;
      failure = new TlsException(Kind.HANDSHAKE_TIMEOUT, Stage.HANDSHAKE, peer, "not done within "
          + context.settings().handshakeTimeout().toMillis() + " ms; " + progress, null);
      reportInTurn();
    }
  }

  /**
   * Continues in the turn of unauthenticated connections. Otherwise many handshakes that end together would take one
   * long round of the loop.
   */
  private void reportInTurn() {
    if (!below.awaitTurn()) {
      report(0);
    }
  }

  private void report(int operations) {
    ReadyListener user = listener;
    if (user != null && state != State.CLOSED) {
      user.onReady(operations);
    }
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    requireOpen();
    RecordInput in = requireInput();
    if (in.hasPlain()) {
      return in.takePlain(target);
    }
    try {
      int read = readRecords(in, target);
      if (read <= 0 || !in.hasMore()) {
        in.rest();
      }
      return read;
    } catch (SSLException e) {
      throw fail(e, Stage.READ);
    }
  }

  private int readRecords(RecordInput in, ByteBuffer target) throws IOException {
    int total = 0;
    boolean drained = false;
    while (target.hasRemaining()) {
      if (in.hasEnded()) {
        return total > 0 ? total : end(in);
      }
      in.requireRecordHeader(Stage.READ);
      if (!in.hasRecord()) {
        int filled = drained ? 0 : in.fill();
        if (filled < 0 && total == 0) {
          throw new TlsException(Kind.TRUNCATED, Stage.READ, peer, "the stream was cut: the peer closed it without a"
              + " close_notify", null);
        }
        if (filled <= 0) {
          return total;
        }
        drained = below.isDrained();
        continue;
      }
      if (total > 0 && target.remaining() < in.recordBytes()) {
        return total;
      }
      int read = in.decrypt(target);
      total += read;
      recordsWithoutData = read > 0 || in.hasPlain() ? 0 : recordsWithoutData + 1;
      if (recordsWithoutData > MOST_RECORDS_WITHOUT_DATA) {
        throw new TlsException(Kind.PROTOCOL, Stage.READ, peer, "the peer sent " + recordsWithoutData
            + " records in a row without data", null);
      }
      if (in.hasPlain() || !serveEngine(in)) {
        return total;
      }
    }
    return total;
  }

  private static int end(RecordInput in) {
    in.reportEnd();
    return -1;
  }

  /** Does what the engine asks for after a record; returns false if reading must wait until output has left. */
  private boolean serveEngine(RecordInput in) throws IOException {
    HandshakeStatus status = in.status();
    if (in.hasEnded() || status == HandshakeStatus.NOT_HANDSHAKING || status == HandshakeStatus.FINISHED
        || outputIsShut) {
      return true;
    }
    if (session().getProtocol().equals(TLS_1_2) || status != HandshakeStatus.NEED_WRAP) {
      throw new TlsException(Kind.PROTOCOL, Stage.READ, peer,
          "the peer asked for a new handshake (renegotiation), which"
              + " is refused",
          null);
    }
    requireOutput().noteEngineWaits(); // the response to a key update (RFC 8446, section 4.6.3)
    if (!flush()) {
      engineWants = true;
      updateWritable();
      readWaitsForOutput = requireOutput().engineWaits();
    }
    return !readWaitsForOutput;
  }

  @Override
  public boolean isDrained() {
    RecordInput in = input;
    return in == null || (!in.hasMore() && below.isDrained());
  }

  @Override
  public boolean hasBufferedInput() {
    RecordInput in = input;
    return in != null && (in.hasMore() || below.hasBufferedInput());
  }

  /** Makes full records of the output, from as many buffers as that takes; {@link #flush()} writes the last ones. */
  @Override
  public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
    requireOpen();
    outputPends = true;
    try {
      RecordOutput out = requireOutput();
      if (out.engineWaits() && !out.takeFromEngine()) {
        return 0;
      }
      return out.take(sources, offset, length);
    } catch (SSLException e) {
      throw input != null && input.hasEnded()
          ? fail(new TlsException(Kind.CLOSED, Stage.WRITE, peer, "the peer has closed the connection", e), Stage.WRITE)
          : fail(e, Stage.WRITE);
    } catch (IOException e) {
      throw broken(e);
    }
  }

  @Override
  public int maxGathered() {
    return MOST_GATHERED;
  }

  @Override
  public boolean flush() throws IOException {
    requireOpen();
    try {
      RecordOutput out = requireOutput();
      if (!out.takeFromEngine() || !out.drain() || !below.flush()) {
        return false;
      }
    } catch (SSLException e) {
      throw fail(e, Stage.WRITE);
    } catch (IOException e) {
      throw broken(e);
    }
    outputPends = false;
    if (engineWants) {
      engineWants = false;
      updateWritable();
    }
    if (readWaitsForOutput) {
      readWaitsForOutput = false;
      requireLoop().schedule(readAgain, requireLoop().nowNanos());
    }
    if (outputIsShut && !endIsSentBelow) {
      endIsSentBelow = true;
      below.shutdownOutput();
    }
    return true;
  }

  @Override
  public void reportWritable(boolean wanted) {
    writerWants = wanted;
    updateWritable();
  }

  private void updateWritable() {
    below.reportWritable(writerWants || engineWants);
  }

  @Override
  public void reportReadable(boolean wanted) {
    readerWants = wanted;
    if (state == State.ESTABLISHED) {
      below.reportReadable(wanted);
    }
  }

  @Override
  public void shutdownOutput() throws IOException {
    requireOpen();
    if (!outputIsShut) {
      outputIsShut = true;
      requireEngine().closeOutbound();
      requireOutput().noteEngineWaits();
    }
  }

  @Override
  public void close() {
    if (state == State.CLOSED) {
      return;
    }
    if (state == State.ESTABLISHED && !outputPends && !outputIsShut) {
      sendCloseNotify();
    }
    state = State.CLOSED;
    handshake = null;
    EventLoop l = loop;
    if (l != null) {
      l.cancel(deadline);
      l.cancel(readAgain);
    }
    below.close();
    if (input != null) {
      input.release();
    }
    if (output != null) {
      output.release();
    }
    PooledBuffer leased = lease;
    if (leased != null) {
      lease = null;
      leased.release();
    }
    memory.leave(this);
  }

  /** Sends close_notify as far as the stream takes it now. */
  private void sendCloseNotify() {
    try {
      shutdownOutput();
      flush();
    } catch (Throwable e) { // an engine without its provider's token once threw here, and the socket stayed open
      // The connection is over in any case.
    }
  }

  /**
   * Ends the connection for an error of this side or of the engine. The peer gets an alert if the stream takes it at
   * once.
   */
  private TlsException fail(SSLException e, Stage stage) {
    Handshake h = handshake;
    TlsException translated = TlsException.of(e, stage, peer, h == null || h.suiteIsAgreed(), h == null
        ? session().getLocalCertificates() != null
        : h.certificateWasSent());
    if (state != State.FAILED && state != State.CLOSED) {
      state = State.FAILED;
      failure = translated;
      sendAlert();
    }
    return translated;
  }

  /**
   * Sends the engine's alert, or close_notify. Then it reads and drops the bytes that have arrived. A socket that is
   * closed with unread bytes resets the connection, and the peer could lose the alert.
   */
  private void sendAlert() {
    RecordOutput out = output;
    RecordInput in = input;
    Handshake h = handshake;
    if (out == null || in == null || (h != null && h.tasksRun())) {
      return;
    }
    try {
      requireEngine().closeOutbound(); // has no effect if the engine has an alert
      out.noteEngineWaits();
      if (out.takeFromEngine() && out.drain() && below.flush()) {
        below.shutdownOutput();
      }
      for (int i = 0; i < MOST_READS_AFTER_FAILURE && in.dropArrived(); i++) {
        // the bytes are not needed
      }
    } catch (IOException e) {
      // The peer has closed the stream; no alert can reach it.
    }
  }

  /** Returns the reason of a broken stream. If a write fails, an alert may wait to be read that names the reason. */
  private IOException broken(IOException e) {
    RecordInput in = input;
    try {
      for (int i = 0; in != null && i < MOST_READS_AFTER_FAILURE && !in.hasEnded(); i++) {
        in.requireRecordHeader(Stage.READ);
        if (in.hasRecord()) {
          in.decryptAndDrop();
        } else if (in.fill() <= 0) {
          return e;
        }
      }
    } catch (SSLException alert) {
      TlsException translated = fail(alert, Stage.WRITE);
      translated.addSuppressed(e);
      return translated;
    } catch (IOException other) {
      // Nothing can be read, so the failed write is the only reason.
    }
    return e;
  }

  private void requireOpen() throws IOException {
    if (failure != null) {
      throw failure;
    }
    if (state != State.ESTABLISHED) {
      throw new IOException("the TLS connection with " + peer + " is not open");
    }
  }

  private EventLoop requireLoop() {
    EventLoop l = loop;
    if (l == null) {
      throw new IllegalStateException("the transport is not registered");
    }
    return l;
  }

  private SSLEngine requireEngine() {
    SSLEngine made = engine;
    if (made == null) {
      throw new IllegalStateException("the engine is not made yet");
    }
    return made;
  }

  private RecordInput requireInput() {
    RecordInput in = input;
    if (in == null) {
      throw new IllegalStateException("the handshake has not begun");
    }
    return in;
  }

  private RecordOutput requireOutput() {
    RecordOutput out = output;
    if (out == null) {
      throw new IllegalStateException("the handshake has not begun");
    }
    return out;
  }

  /**
   * Returns the result of the handshake: protocol version, cipher suite and the peer's certificates. It is without
   * meaning before the connection is established.
   */
  public SSLSession session() {
    return requireEngine().getSession();
  }

  /** Returns the application protocol that was negotiated (ALPN); empty for none. */
  public String applicationProtocol() {
    String protocol = requireEngine().getApplicationProtocol();
    return protocol == null ? "" : protocol;
  }

  /**
   * Returns when the certificate that this side has shown expires, or one of its chain before it. A peer may refuse
   * this connection from then on. Null if none was shown.
   */
  public @Nullable Instant notAfter() {
    Certificate[] chain = session().getLocalCertificates();
    Instant earliest = null;
    for (Certificate certificate : chain == null ? new Certificate[0] : chain) {
      if (certificate instanceof X509Certificate x509) {
        Instant notAfter = x509.getNotAfter().toInstant();
        earliest = earliest == null || notAfter.isBefore(earliest) ? notAfter : earliest;
      }
    }
    return earliest;
  }

  /**
   * Returns true if the context still has the keys of this connection. If they were replaced, a new connection uses
   * others.
   */
  public boolean hasCurrentKeys() {
    return generation == context.generation();
  }
}
