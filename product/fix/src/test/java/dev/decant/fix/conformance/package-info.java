/**
 * The rules of the FIX session layer as scripts, and what plays them. The scripts are beside the classes, among the
 * test resources.
 */
@NullMarked
package dev.decant.fix.conformance;

import org.jspecify.annotations.NullMarked;
