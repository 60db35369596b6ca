package dev.decant.fix.quickfix;

import java.util.List;
import quickfix.Application;
import quickfix.LogFactory;
import quickfix.MessageFactory;
import quickfix.MessageStoreFactory;
import quickfix.SessionID;
import quickfix.SessionSettings;

/**
 * Makes sessions of an acceptor at their Logon, in place of
 * {@code quickfix.mina.acceptor.DynamicAcceptorSessionProvider}. An acceptor makes those of sections with
 * AcceptorTemplate=Y by itself. Immutable.
 */
public final class DynamicAcceptorSessionProvider {
  /** Stands for any identifier in a pattern. */
  public static final String WILDCARD = "*";
  private static final SessionID ANY = new SessionID(WILDCARD, WILDCARD, WILDCARD, WILDCARD, WILDCARD, WILDCARD,
      WILDCARD, "");

  private final List<TemplateMapping> mappings;

  /** Which sessions are made by which section of the settings. */
  public static final class TemplateMapping {
    private final SessionID pattern;
    private final SessionID templateId;

    /**
     * Maps sessions to a section.
     *
     * @param pattern with {@link #WILDCARD} for any identifier
     * @param templateId the identity of the section
     */
    public TemplateMapping(SessionID pattern, SessionID templateId) {
      this.pattern = pattern;
      this.templateId = templateId;
    }

    /**
     * The sessions.
     *
     * @return the pattern
     */
    public SessionID getPattern() {
      return pattern;
    }

    /**
     * The section.
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
   * @param settings not used: those of the acceptor count
   * @param templateMappings tried in this order
   * @param application not used: that of the acceptor counts
   * @param messageStoreFactory not used: that of the acceptor counts
   * @param logFactory not used: that of the acceptor counts
   * @param messageFactory not used: that of the acceptor counts
   */
  public DynamicAcceptorSessionProvider(SessionSettings settings, List<TemplateMapping> templateMappings,
      Application application, MessageStoreFactory messageStoreFactory, LogFactory logFactory,
      MessageFactory messageFactory) {
    this.mappings = List.copyOf(templateMappings);
  }

  /**
   * Makes all sessions by one section of the acceptor's settings.
   *
   * @param settings not used: those of the acceptor count
   * @param templateID the identity of the section
   * @param application not used: that of the acceptor counts
   * @param messageStoreFactory not used: that of the acceptor counts
   * @param logFactory not used: that of the acceptor counts
   * @param messageFactory not used: that of the acceptor counts
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
