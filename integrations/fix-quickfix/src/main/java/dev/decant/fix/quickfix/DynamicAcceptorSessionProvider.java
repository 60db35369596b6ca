package dev.decant.fix.quickfix;

import java.util.List;
import quickfix.Application;
import quickfix.LogFactory;
import quickfix.MessageFactory;
import quickfix.MessageStoreFactory;
import quickfix.SessionID;
import quickfix.SessionSettings;

/**
 * Creates sessions of an acceptor at their Logon, instead of
 * {@code quickfix.mina.acceptor.DynamicAcceptorSessionProvider}. An acceptor itself creates those of sections with
 * AcceptorTemplate=Y. Immutable.
 */
public final class DynamicAcceptorSessionProvider {
  /** Matches any identifier in a pattern. */
  public static final String WILDCARD = "*";
  private static final SessionID ANY = new SessionID(WILDCARD, WILDCARD, WILDCARD, WILDCARD, WILDCARD, WILDCARD,
      WILDCARD, "");

  private final List<TemplateMapping> mappings;

  /** Maps the sessions of a pattern to a section of the settings. */
  public static final class TemplateMapping {
    private final SessionID pattern;
    private final SessionID templateId;

    /**
     * Creates a mapping.
     *
     * @param pattern the pattern, with {@link #WILDCARD} for any identifier
     * @param templateId the identity of the section
     */
    public TemplateMapping(SessionID pattern, SessionID templateId) {
      this.pattern = pattern;
      this.templateId = templateId;
    }

    /**
     * Returns the pattern of sessions.
     *
     * @return the pattern
     */
    public SessionID getPattern() {
      return pattern;
    }

    /**
     * Returns the section.
     *
     * @return its identity
     */
    public SessionID getTemplateID() {
      return templateId;
    }

    @Override
    public String toString() {
      return "<" + pattern + "," + templateId + ">";
    }
  }

  /**
   * Maps patterns to sections of the acceptor's settings.
   *
   * @param settings not used: the acceptor has its own
   * @param templateMappings tried in this order
   * @param application not used: the acceptor has its own
   * @param messageStoreFactory not used: the acceptor has its own
   * @param logFactory not used: the acceptor has its own
   * @param messageFactory not used: the acceptor has its own
   */
  public DynamicAcceptorSessionProvider(SessionSettings settings, List<TemplateMapping> templateMappings,
      Application application, MessageStoreFactory messageStoreFactory, LogFactory logFactory,
      MessageFactory messageFactory) {
    this.mappings = List.copyOf(templateMappings);
  }

  /**
   * Maps all sessions to one section of the acceptor's settings.
   *
   * @param settings not used: the acceptor has its own
   * @param templateID the identity of the section
   * @param application not used: the acceptor has its own
   * @param messageStoreFactory not used: the acceptor has its own
   * @param logFactory not used: the acceptor has its own
   * @param messageFactory not used: the acceptor has its own
   */
  public DynamicAcceptorSessionProvider(SessionSettings settings, SessionID templateID, Application application,
      MessageStoreFactory messageStoreFactory, LogFactory logFactory, MessageFactory messageFactory) {
    this(settings, List.of(new TemplateMapping(ANY, templateID)), application, messageStoreFactory, logFactory,
        messageFactory);
  }

  List<TemplateMapping> mappings() {
    return mappings;
  }
}
