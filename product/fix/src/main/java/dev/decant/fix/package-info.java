/** The engine: initiators and acceptors, their sessions, and the messages of an application. */
@NullMarked
package dev.decant.fix;

import org.jspecify.annotations.NullMarked;
