/**
 * The agent and all that it needs in one jar. This module has no classes of its own: its build collects those of the
 * agent, and those of the client, of Apache's interfaces and of the codecs in the folder {@code META-INF/decant}.
 */
package dev.decant.agent.all;
