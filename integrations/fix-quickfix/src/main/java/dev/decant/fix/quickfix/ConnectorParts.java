package dev.decant.fix.quickfix;

import quickfix.Application;
import quickfix.LogFactory;
import quickfix.MessageFactory;

/** The parts that all sessions of one connector share. */
record ConnectorParts(Application application, LogFactory logs, MessageFactory messages, CallbackThread callbacks) {}
