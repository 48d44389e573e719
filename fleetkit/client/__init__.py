"""The API over HTTP: whole lists of raw pages, or an error that says why not.

What a request goes through, one idea a module::

    request     an endpoint, an id and parameters, checked → path and query
    address     base URL and key, checked
    transport   one request over the wire → status, headers, body
    deadline    the connection that gives up in time
    hints       Retry-After and X-RateLimit-* → seconds
    quota       what the hints say of the service's quota
    gate        how many requests may be under way now
    answers     status and body → a page, or what is wrong with it
    retry       ask until the answer is good, or it is time to give up
    paging      pages → one list, proven complete
    crew        many lists at once, one shared bound
    client      the front: `Client`
"""

from fleetkit.client.client import Client

__all__ = ["Client"]
