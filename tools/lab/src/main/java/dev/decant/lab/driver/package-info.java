/** What runs in the JVM of a measured client: one scenario of one client, told what to do over standard input. */
@NullMarked
package dev.decant.lab.driver;

import org.jspecify.annotations.NullMarked;
