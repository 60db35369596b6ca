package dev.decant.fix.quickfix;

import dev.decant.event.Registration;
import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.Peer;
import dev.decant.fix.event.SessionListener;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.quickfix.settings.QuickFixConnections;
import dev.decant.fix.quickfix.settings.QuickFixOpening;
import dev.decant.fix.quickfix.settings.QuickFixSession;
import dev.decant.fix.quickfix.settings.QuickFixSettings;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.store.MemoryStores;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import quickfix.Application;
import quickfix.CachedFileStoreFactory;
import quickfix.ConfigError;
import quickfix.Connector;
import quickfix.FileStoreFactory;
import quickfix.Log;
import quickfix.LogFactory;
import quickfix.MemoryStoreFactory;
import quickfix.MessageFactory;
import quickfix.MessageStoreFactory;
import quickfix.NoopStoreFactory;
import quickfix.SessionID;
import quickfix.SessionSettings;

/**
 * The common base of initiators and acceptors: an engine of Decant between {@link #start} and {@link #stop}, with the
 * sessions of the settings. One thread at a time calls start and stop. All other methods: any thread.
 */
public abstract sealed class SessionConnector implements Connector
    permits SocketAcceptor, SocketInitiator, ThreadedSocketAcceptor, ThreadedSocketInitiator {
  /** The ConnectionType of initiators' sessions. */
  static final String INITIATOR = "initiator";
  /** The ConnectionType of acceptors' sessions. */
  static final String ACCEPTOR = "acceptor";

  private static final System.Logger LOG = System.getLogger(SessionConnector.class.getName());
  private static final int MOST_LOOPS = 64;
  private static final int LOOPS_OF_TEMPLATES = 16;

  private final ConnectorParts parts;
  private final MessageStoreFactory stores;
  private final SessionSettings settings;
  private final String type;
  private final Threads threads;
  private final Map<SessionId, Session> sessions = new ConcurrentHashMap<>();
  /**
   * Sessions that a template is about to create, by the address of the counterparty whose Logon was accepted. Soon the
   * engine has opened them, or has refused the connection. Guarded by itself, as are changes of the sessions of
   * templates.
   */
  private final Map<InetSocketAddress, SessionId> admitted = new HashMap<>();
  private final List<FixAcceptor> acceptors = new CopyOnWriteArrayList<>();
  private final Map<SessionId, Log> logs = new ConcurrentHashMap<>();
  private final DictionaryConversion dictionaries = new DictionaryConversion();
  /** The running engines; empty before start and after stop. Written by the thread that starts and stops. */
  private List<FixEngine> engines = List.of();
  /** Templates that the application has added. Written before the start. */
  private TemplateSessions templates = TemplateSessions.NONE;

  /** The threads that call the application. */
  enum Threads {
    /** One thread for all sessions. */
    ONE,
    /** Several threads of one engine, which share the sessions. */
    LOOPS,
    /** A thread for each session, on an engine of its own. */
    ENGINES
  }

  SessionConnector(ConnectorSettings made, String type, Threads threads) {
    this.parts = new ConnectorParts(made.application(), made.logs(), made.messages(), new CallbackThread());
    this.stores = made.stores();
    this.settings = made.settings();
    this.type = type;
    this.threads = threads;
  }

  /** The parameters of QuickFIX/J's constructors. */
  record ConnectorSettings(Application application, MessageStoreFactory stores, SessionSettings settings,
      LogFactory logs, MessageFactory messages) {}

  void templates(TemplateSessions value) {
    templates = value;
  }

  TemplateSessions templates() {
    return templates;
  }

  @Override
  public void start() throws ConfigError {
    if (!engines.isEmpty()) {
      return;
    }
    QuickFixSettings read = SettingsConversion.of(settings, type);
    List<QuickFixSettings> parts = threads == Threads.ENGINES ? read.split() : List.of(read);
    engines = new ArrayList<>();
    boolean done = false;
    try {
      for (QuickFixSettings one : parts) {
        FixEngine engine = FixEngine.builder().name("decant-" + type).log(new LogBridge(this::log)).loops(loops(one))
            .start();
        engines.add(engine);
        open(engine, one);
      }
      done = true;
    } catch (IOException | IllegalArgumentException | IllegalStateException e) {
      throw new ConfigError(e.getMessage(), e);
    } finally {
      if (!done) {
        stop(true);
      }
    }
  }

  private int loops(QuickFixSettings read) {
    if (threads != Threads.LOOPS) {
      return 1;
    }
    boolean hasTemplates = read.sessions().stream().anyMatch(QuickFixSession::isTemplate);
    return Math.min(read.sessions().size() + (hasTemplates ? LOOPS_OF_TEMPLATES : 0), MOST_LOOPS);
  }

  private Session known(FixSession session) {
    return Objects.requireNonNull(sessions.get(session.id()));
  }

  private void open(FixEngine engine, QuickFixSettings read) throws IOException, ConfigError {
    ApplicationBridge bridge = new ApplicationBridge(parts, this::session);
    List<Session> made = new ArrayList<>();
    for (QuickFixSession section : read.sessions()) {
      if (!section.isTemplate()) {
        made.add(add(section.id(), section));
      }
    }
    Registration unusedWatch = engine.listen(new Watcher());
    QuickFixOpening opening = read.opening(engine, bridge)
        .authenticator((id, section, logon, peer) -> refuse(bridge, id, section, logon, peer)).stores(this::stores)
        .startLoggedOut();
    templates.addTo(opening, read);
    QuickFixConnections opened = opening.open();
    acceptors.addAll(opened.acceptors());
    for (FixSession session : opened.initiators()) {
      known(session).bind(session);
    }
    for (Session session : made) {
      bindAccepted(opened, session);
      session.create();
    }
    for (FixSession session : opened.initiators()) {
      if (!"Y".equals(known(session).section().value("DynamicSession"))) {
        Future<?> unused = session.logon();
      }
    }
  }

  private static void bindAccepted(QuickFixConnections opened, Session session) {
    if (!session.section().isInitiator()) {
      SessionId id = SessionIds.toDecant(session.getSessionID());
      session.bind(opened.acceptors().getFirst().session(id));
    }
  }

  /** Creates and registers a session that the engine does not have yet. */
  private Session add(SessionId id, QuickFixSession section) throws ConfigError {
    dev.decant.fix.settings.SessionSettings rules = section.settings(id);
    SessionID known = SessionIds.toQuickFix(id);
    MessageConversion conversion = new MessageConversion(known, parts.messages(),
        dictionaries.of(section, id.beginString()), DictionaryConversion.validation(section),
        rules.defaultApplVerId());
    Session session = new Session(known, new Session.Rules(section, rules, conversion), log(id), parts);
    session.register();
    sessions.put(id, session);
    return session;
  }

  /** Asks the application about a Logon. From then on, the application knows a session that a template creates. */
  private @Nullable String refuse(ApplicationBridge bridge, SessionId id, QuickFixSession section, MessageView logon,
      Peer peer) {
    boolean isNew;
    synchronized (admitted) {
      isNew = !sessions.containsKey(id);
      if (!section.id().equals(id) && !hasOpened(id)) {
        admitted.put(peer.address(), id);
      }
    }
    String refusal = "the session cannot be made";
    try {
      if (isNew) {
        addDynamic(id, section);
      }
      refusal = bridge.refuse(id, logon, peer);
      return refusal;
    } finally {
      if (refusal != null) {
        forget(peer.address());
      }
    }
  }

  private void addDynamic(SessionId id, QuickFixSession template) {
    try {
      Session session = add(id, template);
      session.bindLater(() -> accepted(id));
      boolean before = parts.callbacks().begin();
      try {
        session.create();
      } finally {
        parts.callbacks().end(before);
      }
    } catch (ConfigError e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /**
   * Removes sessions of templates that no engine opens. A stranger that guesses CompIDs must not leave one for each
   * guess.
   */
  private final class Watcher implements SessionListener {
    @Override
    public void onOpened(SessionId id) {
      synchronized (admitted) {
        admitted.values().removeIf(id::equals);
      }
    }

    @Override
    public void onConnectionRefused(InetSocketAddress from, String reason) {
      forget(from);
    }

    @Override
    public void onForgotten(SessionId id) {
      synchronized (admitted) {
        drop(id);
      }
    }
  }

  /** Removes the session of a counterparty whose Logon led to no session in the engine. */
  private void forget(InetSocketAddress from) {
    synchronized (admitted) {
      SessionId id = admitted.remove(from);
      if (id != null && !hasOpened(id)) {
        drop(id);
      }
    }
  }

  /** Removes a session that no engine has, unless it is about to be created again. */
  private void drop(SessionId id) {
    if (admitted.containsValue(id)) {
      return;
    }
    Session dropped = sessions.remove(id);
    if (dropped != null) {
      dropped.unregister();
    }
    close(logs.remove(id));
  }

  private static void close(@Nullable Log log) {
    if (log instanceof Closeable open) {
      try {
        open.close();
      } catch (IOException e) {
        log.onErrorEvent("the log was not closed well: " + e);
      }
    }
  }

  private boolean hasOpened(SessionId id) {
    try {
      return !acceptors.isEmpty() && accepted(id).id().equals(id);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private FixSession accepted(SessionId id) {
    return acceptors.getFirst().session(id); // Each acceptor knows all sessions of the engine.
  }

  private Session session(SessionId id) {
    Session found = sessions.get(id);
    if (found == null) {
      throw new IllegalStateException("there is no session " + id);
    }
    return found;
  }

  /** Returns the log of a session. The log of a template's session exists before the session does. */
  private Log log(SessionId id) {
    return logs.computeIfAbsent(id, any -> parts.logs().create(SessionIds.toQuickFix(id)));
  }

  /**
   * Returns Decant's stores instead of those of QuickFIX/J that store the same content. Other stores are used
   * unchanged.
   */
  private dev.decant.fix.store.MessageStoreFactory stores(QuickFixSession section) {
    if (stores instanceof MemoryStoreFactory || stores instanceof NoopStoreFactory) {
      return new MemoryStores();
    }
    boolean areFiles = stores.getClass() == FileStoreFactory.class || stores.getClass() == CachedFileStoreFactory.class;
    if (!areFiles) {
      return StoreBridge.factory(stores);
    }
    if (section.value("FileStorePath") == null) {
      throw new IllegalArgumentException("FileStorePath is not set: " + stores.getClass().getSimpleName()
          + " needs it");
    }
    return section.stores();
  }

  /**
   * Logs all sessions out, waits for their counterparties up to the longest LogoutTimeout, and closes connections and
   * stores.
   *
   * @param force has no effect: a counterparty that responds is not waited for any longer
   */
  @Override
  public void stop(boolean force) {
    closeAll(engines);
    engines = List.of();
    acceptors.clear();
    sessions.values().forEach(Session::unregister);
    sessions.clear();
    admitted.clear();
    logs.values().forEach(SessionConnector::close);
    logs.clear();
  }

  /** Closes engines at the same time, because each of them waits for its counterparties. */
  private static void closeAll(List<FixEngine> open) {
    if (open.size() == 1) {
      open.getFirst().close();
      return;
    }
    try (ExecutorService closing = Executors.newVirtualThreadPerTaskExecutor()) {
      for (FixEngine engine : open) {
        Future<?> unused = closing.submit(() -> {
          try {
            engine.close();
          } catch (RuntimeException | Error e) { // The other engines are closed in any case.
            LOG.log(System.Logger.Level.WARNING, "an engine was not closed well", e);
          }
        });
      }
    }
  }

  /**
   * Returns true if messages go to a counterparty.
   *
   * @return true if any session is logged on
   */
  @Override
  public boolean isLoggedOn() {
    return sessions.values().stream().anyMatch(Session::isOpenAndLoggedOn);
  }

  /**
   * Returns the sessions between start and stop.
   *
   * @return a new list
   */
  @Override
  @SuppressWarnings("NonApiType") // the type of QuickFIX/J's method
  public ArrayList<SessionID> getSessions() {
    ArrayList<SessionID> ids = new ArrayList<>();
    sessions.values().forEach(session -> ids.add(session.getSessionID()));
    return ids;
  }
}
