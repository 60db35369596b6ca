/**
 * Apache's own client tests, run with other clients in place of Apache's. {@link dev.decant.replay.ClassSwitch}
 * replaces the classes in the tests' byte code, {@link dev.decant.replay.Replay} runs the tests in JVMs of their own,
 * and {@link dev.decant.replay.Verdict} compares the results with those of Apache's clients.
 */
@NullMarked
package dev.decant.replay;

import org.jspecify.annotations.NullMarked;
